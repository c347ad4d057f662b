# Three classes, of 1, 2 and 3 blocks of 48 bytes.
$GEN/profilers --rows 3 heap 2>err | tm-dump
cat err
# Rows that heap of the iOS simulator 17.2 printed, with names of C++ and Swift; the table is an excerpt.
cat >h.txt <<'END'
All zones: 19103 nodes (2662832 bytes)

   COUNT      BYTES       AVG   CLASS_NAME                                        TYPE    BINARY
   =====      =====       ===   ==========                                        ====    ======
    4891     176576      36.1   CFString                                          ObjC    CoreFoundation
    2591     664816     256.6   non-object
       2         64      32.0   std::__shared_ptr_pointer<MCacheData*, std::shared_ptr<MCacheData>::__shared_ptr_default_delete<MCacheData, MCacheData>>  C++     libFontParser.dylib
       1        128     128.0   Swift._DictionaryStorage<Swift.String, Foundation._Locale>  Swift   libswiftCore.dylib
END
tm-top -q --by type --csv -f macos-heap h.txt
