-- SPDX-License-Identifier: MIT
function love.conf(t)
	for _, m in ipairs {"audio", "sound", "joystick", "touch", "video", "physics"} do
		t.modules[m] = false
	end
	t.window.width, t.window.height, t.window.vsync = 320, 200, 0
end
