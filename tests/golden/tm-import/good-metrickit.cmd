# Six rows of weights 1, 2, 3, 4, 1 and 2: of a root, of what it calls, and of what that calls. A crash: the innermost
# call is the root; its callers are where they are returned to.
$GEN/profilers --rows 6 metrickit 2>err | tm-dump
cat err
# A tree alone; and metrics, of which one number is of another language, and a histogram.
printf '{"callStacks":[{"callStackRootFrames":[{"binaryName":"game","offsetIntoBinaryTextSegment":4294971392,"address":4294975488,"sampleCount":3}]}],"callStackPerThread":false}' | tm-dump -q | grep -e ^location -e ^sample
cat >m.json <<'END'
[{"applicationTimeMetrics" : {"cumulativeForegroundTime" : "700 sec", "cumulativeBackgroundTime" : "1,456 sec"},
  "memoryMetrics" : {"peakMemoryUsage" : "987,042.5 kB", "averageSuspendedMemory" : {"averageValue" : "100 kB"}},
  "cpuMetrics" : {"cumulativeCPUTime" : "1,5 sec"},
  "applicationExitMetrics" : {"foregroundExitData" : {"cumulativeNormalAppExitCount" : 5}},
  "applicationResponsivenessMetrics" : {"histogrammedAppHangTime" : {"histogramNumBuckets" : 1,
   "histogramValue" : {"0" : {"bucketCount" : 50, "bucketStart" : "0 ms", "bucketEnd" : "100 ms"}}}},
  "appVersion" : "1.0"}]
END
tm-dump m.json
