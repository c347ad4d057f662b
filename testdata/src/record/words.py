# SPDX-License-Identifier: MIT
# A program that is not ours, for tm-record: counts words, keeps them, and 50 buffers of 1 MiB.
import json

words = [f"word {i * 7919 % 30011}" for i in range(60000)]
counts = {}
for word in words:
    counts[word] = counts.get(word, 0) + 1
text = json.dumps(counts)
back = json.loads(text)
buffers = [bytearray(1 << 20) for _ in range(50)]
print(len(back), sum(len(b) for b in buffers))
