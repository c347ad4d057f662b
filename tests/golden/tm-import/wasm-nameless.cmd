# Node prints a module without a name section so: calls are places in the one module that has no name, two stacks and not one.
printf '%s\n' 'Error: js 1' '    at wasm://wasm/6f110f5a:wasm-function[2]:0x86' '    at wasm://wasm/6f110f5a:wasm-function[1]:0x58' \
	'Error: js 2' '    at wasm://wasm/6f110f5a:wasm-function[2]:0x86' '    at wasm://wasm/6f110f5a:wasm-function[1]:0x63' >log
tm-dump -f crash-log log
