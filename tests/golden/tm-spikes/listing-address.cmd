# The first log of the talk (seed 004): a listing of addresses with Class::Function, then the
# callers that were too slow as well, and the message of one of them. What the slide's numbers were
# is not known: a call of 0.995 frames of 1/60 s takes 16.58 ms, the others are made up. Tick
# functions may take two frames. tests/sh/spikes_listings.sh compares with the slide.
cat >rules <<'X'
[spikes]
threshold = 1ms
[function engine]
match = ^FEngineLoop::Tick$
match = ^UMK9GameEngine::Tick$
threshold = 33.333ms
X
"$GEN/calls" >run.tmt <<'X'
thread MainThread
> 0 0x82449eb4 main
> 10 0x824499c8 GuardedMain
frame 2323
> 1000 0x82444c80 FEngineLoop::Tick
> 1100 0x82440ddc UMK9GameEngine::Tick
> 1200 0x82d6d39c MKScriptVM::Tick
> 1210 0x82d6f2dc MKListNoDestroy::ForEach
> 1220 0x82d6cd54 MKScriptVM::Step
> 1230 0x82d690ac _call_c_function
> 1240 0x82440ddc CreateEnduranceOpponentPhase1
> 1250 0x82440ddc CreatePlayerPhase1
> 1260 0x82440ddc SpawnMKFGCharacterObj
> 1300 0x82440ddc CreateMeshes
< 13610 0x82440ddc CreateMeshes
< 15000 0x82440ddc SpawnMKFGCharacterObj
< 16000 0x82440ddc CreatePlayerPhase1
< 17800 0x82440ddc CreateEnduranceOpponentPhase1
! Slow Script->C Call: _CreateEnduranceOpponentPhase1 takes 16.58 ms (0.995 frames) to execute
< 17810 0x82d690ac _call_c_function
< 17820 0x82d6cd54 MKScriptVM::Step
< 17830 0x82d6f2dc MKListNoDestroy::ForEach
< 17840 0x82d6d39c MKScriptVM::Tick
< 17900 0x82440ddc UMK9GameEngine::Tick
< 18000 0x82444c80 FEngineLoop::Tick
X
tm-spikes --rules rules --pet run.tmt
