// SPDX-License-Identifier: BSD-2-Clause
// Park N SECONDS: N platform threads parked for good, and two that hand off by park and unpark, each
// in a method with a name of its own. Says how long a handoff took by its own clock.

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class Park {
	static volatile int turn;
	static volatile boolean over;
	static Thread a, b;
	static long handoffs; // of b alone

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

	static void parkAll(int cnt) throws Exception {
		CountDownLatch there = new CountDownLatch(cnt);

		for (int i = 0; i < cnt; i++) {
			Thread t = new Thread(null, () -> {
				there.countDown();
				for (;;)
					LockSupport.park();
			}, "idle-" + i, 256 << 10);
			t.setDaemon(true);
			t.start();
		}
		there.await();
	}

	public static void main(String[] args) throws Exception {
		parkAll(Integer.parseInt(args[0]));
		a = new Thread(() -> {
			while (!over)
				pingA();
		}, "ping");
		b = new Thread(() -> {
			for (; !over; handoffs += 2)
				pingB();
		}, "pong");
		long start = System.nanoTime();
		b.start();
		a.start();
		Thread.sleep(1000L * Integer.parseInt(args[1]));
		over = true;
		LockSupport.unpark(a);
		LockSupport.unpark(b);
		a.join();
		b.join();
		System.out.println("parked " + args[0] + " own_handoff_ns "
			+ (System.nanoTime() - start) / handoffs);
	}
}
