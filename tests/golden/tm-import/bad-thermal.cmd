# Values that are none; the last dump has cached temperatures alone, which count.
$GEN/table -n 2 thermal-bad 2>err | tm-dump -q
cat err
printf 'Thermal Status: x\nCached temperatures:\n\tTemperature{mValue=, mType=0}\n' | tm-import -f thermal
printf 'Thermal Status: 3\nCached temperatures:\n\tTemperature{mValue=33.6, mType=0, mNa' | tm-dump -f thermal
