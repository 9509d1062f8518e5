/* Figures as people read them. */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

typedef struct cli_text {
  char text[24];
} cli_text;

/* Three digits and a unit: "1.23 s", "45.6 ms", "789 us". */
cli_text cli_format_time(double seconds);

/* Four digits or more, without an exponent where people read rates: 0.1234 12.34 31950 */
cli_text cli_format_figure(double value);

/* How many digits after the point leave a rate three digits or more: 0.12 1.23 12.3 123.4 */
int cli_rate_digits(double rate);

#endif
