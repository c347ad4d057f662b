/* SPDX-License-Identifier: MIT
 *
 * Behaviour trees put together from templates: a whole tree of ticks becomes one function, the
 * deepest inlining in the demo.
 */
#ifndef DEMO_AI_H
#define DEMO_AI_H

namespace arcade
{

/* Called by the game as a C library would be. */
extern "C" void ai_think(int frame);

} // namespace arcade

#endif
