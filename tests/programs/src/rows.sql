-- SPDX-License-Identifier: MIT
create table t(a, b);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
	insert into t select i, 'row ' || i from n;
select count(*), sum(length(b)) from t;
select b from t order by b desc limit 3;
