# What others write is named, with the way there.
printf 'v8-version,6,0\n' | tm-import
printf 'go1.7 heap dump\n' | tm-import
printf 'memray\0\13\0' | tm-import
