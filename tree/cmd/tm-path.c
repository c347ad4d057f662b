char p[] = "/work/main";
