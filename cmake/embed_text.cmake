# Writes a C file that holds a text as an array of characters.
# cmake -DINPUT=<file> -DSYMBOL=<name> -DOUTPUT=<file.c> -P embed_text.cmake
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "/* Made by cmake/embed_text.cmake. */
extern const char ${SYMBOL}[];
const char ${SYMBOL}[] = {${bytes}0};
")
