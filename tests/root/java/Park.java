// SPDX-License-Identifier: BSD-2-Clause
// Park N SECONDS: N platform threads parked for good, and two that hand off by park and unpark, each
// in a method with a name of its own.

import java.util.concurrent.locks.LockSupport;

public class Park {
	static volatile int turn;
	static volatile boolean over;
	static Thread a, b;

	static void pingA() {
		while (turn != 0 && !over)
			LockSupport.park();
		turn = 1;
		LockSupport.unpark(b);
	}

	static void pingB() {
		while (turn != 1 && !over)
			LockSupport.park();
		turn = 0;
		LockSupport.unpark(a);
	}

	public static void main(String[] args) throws Exception {
		for (int i = Integer.parseInt(args[0]); i > 0; i--) {
			Thread t = new Thread(null, () -> {
				for (;;)
					LockSupport.park();
			}, "idle-" + i, 256 << 10);
			t.setDaemon(true);
			t.start();
		}
		a = new Thread(() -> {
			while (!over)
				pingA();
		}, "ping");
		b = new Thread(() -> {
			while (!over)
				pingB();
		}, "pong");
		b.start();
		a.start();
		Thread.sleep(1000L * Integer.parseInt(args[1]));
		over = true;
		LockSupport.unpark(a);
		LockSupport.unpark(b);
		a.join();
		b.join();
	}
}
