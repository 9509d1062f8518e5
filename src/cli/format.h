/* Figures as people read them. */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

typedef struct cli_time_text {
  char text[16];
} cli_time_text;

/* Three digits and a unit: "1.23 s", "45.6 ms", "789 us". */
cli_time_text cli_format_time(double seconds);

/* How many digits after the point leave a rate three digits or more: 0.12 1.23 12.3 123.4 */
int cli_rate_digits(double rate);

#endif
