#include <stdlib.h>
#include <unistd.h>
int main(){ for(;;){ void*volatile p=malloc(10); free(p); usleep(1000);} }
