#include "lib/trace/t.h"
