# Writes a C file that holds kernel sources as byte arrays with a hash each.
# cmake -DROOT=<folder> -DFILES=<a.cl,b.cl> -DOUTPUT=<file.c> -P embed_kernels.cmake
string(REPLACE "," ";" FILES "${FILES}")
set(arrays "")
set(table "")
set(index 0)
foreach(name IN LISTS FILES)
  file(READ "${ROOT}/${name}" hex HEX)
  file(SHA256 "${ROOT}/${name}" hash)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const char text_${index}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", text_${index}, sizeof text_${index} - 1, \"${hash}\"},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by cmake/embed_kernels.cmake from src/kernels. */
#include \"jit/source.h\"

${arrays}
const qn_embedded qn_embedded_sources[] = {
${table}};
const unsigned qn_embedded_count = ${index};
")
