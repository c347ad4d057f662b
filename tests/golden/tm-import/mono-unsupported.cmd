# Data versions before 13 and behind 17.
tm-import "$DATA/mono/old.mlpd" | cat
tm-import "$DATA/mono/new.mlpd" | cat
