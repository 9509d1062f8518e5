#!/bin/sh
# The pages of docs/learn quote sources: a block of C under <!-- path --> stands there as it is, line by line. Each
# row of the probe has a page with a quotation, and probe.md leads to it.
# usage: quotes.sh <source root>
set -u
cd "$1" || exit 2
problems=0
complain() {
  echo "$*"
  problems=$((problems + 1))
}

# Prints what is wrong with one page, then "quotes N".
read_page() {
  awk '
    function whole(path, line, text) {
      text = "\n"
      while ((getline line < path) > 0) text = text line "\n"
      close(path)
      return text
    }
    /^<!-- [^ ]+ -->$/ { path = $2; next }
    path != "" && /^```c$/ { block = "\n"; inside = 1; next }
    inside && /^```$/ {
      if (index(whole(path), block) == 0) print FILENAME ": line " NR ": not so in " path
      inside = 0
      path = ""
      quotes++
      next
    }
    inside { block = block $0 "\n" }
    path != "" && !inside { print FILENAME ": line " NR ": no block of C under " path; path = "" }
    END { print "quotes " quotes + 0 }' "$1"
}

for page in docs/learn/*.md; do
  wrong=$(read_page "$page" | grep -v '^quotes ')
  [ -z "$wrong" ] || complain "$wrong"
done
rows=$(sed -n 's/^ *{\.name = "\([a-z]*\)".*/\1/p' src/probe/rows.c)
[ -n "$rows" ] || complain "src/probe/rows.c: no rows found"
for row in $rows; do
  page=docs/learn/$row.md
  if [ ! -f "$page" ]; then
    complain "the row $row has no page $page"
  elif read_page "$page" | grep -q '^quotes 0$'; then
    complain "$page: quotes no source"
  fi
  grep -qF "($row.md)" docs/learn/probe.md || complain "docs/learn/probe.md does not lead to $row.md"
done
exit $((problems > 0))
