#include "lib/base/a.h"
