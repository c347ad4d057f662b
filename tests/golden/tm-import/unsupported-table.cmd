# Tables of other tools are not taken for one of these.
printf 'name,age\nx,1\n' | tm-import
printf 'Time,Value\n0,1\n' | tm-import -f table
