# SPDX-License-Identifier: MIT
# Interpreters in threads, a fork, a pipe, and a handler of signals.
use strict;
use warnings;
use threads;

my @parts = map {
	my $id = $_;
	threads->create(sub {
		my %words = map { ("word $id $_" => [1 .. 5]) } 1 .. 2000;
		return scalar keys %words;
	})
} 1 .. 4;
my $all = 0;
$all += $_->join for @parts;
my $got = 0;
$SIG{USR1} = sub { $got++ };
kill 'USR1', $$ for 1 .. 10;
open(my $child, '-|', 'echo from a child') or die;
my $line = <$child>;
close $child;
$| = 1;
print "words $all, signals ", ($got > 0 ? 'seen' : 'lost'), ", $line";
my $pid = fork;
if (!$pid) { my @a = map { "x$_" } 1 .. 1000; exit 3 }
waitpid $pid, 0;
print 'child ', $? >> 8, "\n";
