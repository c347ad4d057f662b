#include "lib/trace/t.h"
#include <xxhash.h>
