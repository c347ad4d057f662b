# What others write is named, with the way there.
printf 'v8-version,6,0\n' | tm-import
printf '{\n  "code": [{"name":"x"}]}' | tm-import
printf '{"version":1,"recording":{"displayName":"x"}}' | tm-import
printf 'go1.7 heap dump\n' | tm-import
printf 'memray\0\13\0' | tm-import
printf '@ inst_retired.any [35705 samples]\n' | tm-import
printf 'Script_x log opened (PC)\n500:PUSH:1\n' | tm-import
printf '{\n"program": "x",\n"rts_arguments": []}' | tm-import
