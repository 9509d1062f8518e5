/* Words and colours. */
#include "draw.h"
#include <string.h>

void qn_set_colour(cairo_t *cr, qn_chart_colour colour, double opacity) {
  static const unsigned rgb[] = {
      [QN_INK] = 0x1a1a1a,    [QN_BLUE] = 0x0072b2,   [QN_VERMILION] = 0xd55e00,
      [QN_GREEN] = 0x009e73,  [QN_ORANGE] = 0xe69f00, [QN_SKY] = 0x56b4e9,
      [QN_PURPLE] = 0xcc79a7, [QN_GREY] = 0x767676,
  };
  unsigned c = (unsigned)colour < sizeof rgb / sizeof *rgb ? rgb[colour] : rgb[QN_INK];
  cairo_set_source_rgba(cr, (c >> 16) / 255.0, (c >> 8 & 255) / 255.0, (c & 255) / 255.0, opacity);
}

void qn_text_font(cairo_t *cr, double size, bool bold) {
  cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, size);
}

double qn_text_width(cairo_t *cr, const char *text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cr, text, &extents);
  return extents.x_advance;
}

static double aligned(cairo_t *cr, const char *text, double x, qn_align align) {
  if (align == QN_ALIGN_LEFT) return x;
  double width = qn_text_width(cr, text);
  return align == QN_ALIGN_RIGHT ? x - width : x - width / 2;
}

void qn_text_draw(cairo_t *cr, const char *text, double x, double y, qn_align align) {
  cairo_move_to(cr, aligned(cr, text, x, align), y);
  cairo_show_text(cr, text);
}

void qn_text_halo(cairo_t *cr, const char *text, double x, double y, qn_align align) {
  cairo_save(cr);
  cairo_move_to(cr, aligned(cr, text, x, align), y);
  cairo_text_path(cr, text);
  cairo_set_source_rgba(cr, 1, 1, 1, 0.9);
  cairo_set_line_width(cr, 3.5);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke(cr);
  cairo_restore(cr);
  qn_text_draw(cr, text, x, y, align);
}

int qn_text_wrap(cairo_t *cr, const char *text, double x, double y, double width, double leading,
                 bool draw) {
  char line[512];
  int lines = 0;
  while (*text) {
    size_t used = 0; /* bytes of text on this line */
    for (size_t end = 0; text[end];) {
      end += strspn(text + end, " ");
      end += strcspn(text + end, " ");
      if (end >= sizeof line) break;
      memcpy(line, text, end);
      line[end] = '\0';
      if (used && qn_text_width(cr, line) > width) break;
      used = end;
    }
    if (used == 0) used = strnlen(text, sizeof line - 1); /* a word longer than the line buffer */
    memcpy(line, text, used);
    line[used] = '\0';
    if (draw) qn_text_draw(cr, line, x, y + lines * leading, QN_ALIGN_LEFT);
    lines++;
    text += used;
    text += strspn(text, " ");
  }
  return lines;
}
