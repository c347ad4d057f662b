# The second log of the talk (seed 004), of a game with markers: functions with file and line. The
# message is a rule's here: 16.45 ms are 0.987 frames of 1/60 s.
cat >rules <<'X'
[spikes]
threshold = 1ms
frame-time = 16.667ms
[function engine]
match = ^Tick$
file = ^(LaunchEngineLoop|MK9Game)\.cpp$
threshold = 33.333ms
[function script]
match = ^_call_c_function$
message = Slow Script->C Call: _CreateEnduranceOpponentPhase1 takes {ms} ms ({frames} frames) to execute
X
"$GEN/calls" >run.tmt <<'X'
thread MainThread
frame 2422
> 1000 Tick @LaunchEngineLoop.cpp:1981
> 1100 Tick @MK9Game.cpp:499
> 1200 Tick @ScriptCore.cpp:908
> 1220 Step @ScriptCore.cpp:440
> 1230 _call_c_function @ScriptCore.cpp:4194
> 1240 CreateEnduranceOpponentPhase1 @FGPlayer.cpp:881
> 1250 CreatePlayerPhase1 @FGPlayer.cpp:527
> 1260 SpawnMKFGCharacterObj @FGPlayer.cpp:243
> 1300 CreateMeshes @FGPlayer.cpp:1088
> 1400 SetSkeletalMesh @UnSkeletalComponent.cpp:3465
< 12710 SetSkeletalMesh @UnSkeletalComponent.cpp:3465
< 13610 CreateMeshes @FGPlayer.cpp:1088
< 15000 SpawnMKFGCharacterObj @FGPlayer.cpp:243
< 16000 CreatePlayerPhase1 @FGPlayer.cpp:527
< 17670 CreateEnduranceOpponentPhase1 @FGPlayer.cpp:881
< 17680 _call_c_function @ScriptCore.cpp:4194
< 17690 Step @ScriptCore.cpp:440
< 17700 Tick @ScriptCore.cpp:908
< 17900 Tick @MK9Game.cpp:499
< 18000 Tick @LaunchEngineLoop.cpp:1981
X
tm-spikes --rules rules --pet run.tmt
