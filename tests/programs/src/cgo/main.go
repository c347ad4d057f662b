// SPDX-License-Identifier: MIT
//
// Goroutines that call C, which allocates and calls back.
package main

/*
#include <stdlib.h>
#include <string.h>

extern int called(int n);
static int work(int n)
{
	char *p = malloc(100 + n);
	int sum;

	memset(p, 1, 100);
	sum = p[50] + called(n);
	free(p);
	return sum;
}
*/
import "C"

import (
	"fmt"
	"sync"
	"time"
)

//export called
func called(n C.int) C.int {
	s := make([]byte, 1000)
	return n + C.int(s[0])
}

func main() {
	var all sync.WaitGroup
	sums := make([]int, 50)
	for g := range sums {
		all.Add(1)
		go func(g int) {
			defer all.Done()
			for i := 0; i < 200; i++ {
				sums[g] += int(C.work(C.int(i)))
			}
		}(g)
	}
	all.Wait()
	total := 0
	for _, s := range sums {
		total += s
	}
	fmt.Println("sum", total)
	time.Sleep(300 * time.Millisecond)
}
