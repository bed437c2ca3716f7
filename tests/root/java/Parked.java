// SPDX-License-Identifier: BSD-2-Clause
// Parked.java N: N platform threads parked for good, and two that hand off by park and unpark until
// the program is ended. Says how long a handoff took by its own clock.

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

public class Parked {
	static volatile int turn;
	static volatile boolean begin;
	static volatile long handoffs;
	static Thread[] pair = new Thread[2];

	static void play(int me) {
		while (!begin)
			LockSupport.park();
		for (;;) {
			while (turn != me)
				LockSupport.park();
			if (me == 0)
				handoffs += 2;
			turn = 1 - me;
			LockSupport.unpark(pair[1 - me]);
		}
	}

	static Thread start(Runnable body) {
		Thread t = new Thread(null, body, "parked", 256 << 10);
		t.setDaemon(true);
		t.start();
		return t;
	}

	public static void main(String[] args) throws Exception {
		int parked = Integer.parseInt(args[0]);
		CountDownLatch there = new CountDownLatch(parked);

		for (int i = 0; i < parked; i++)
			start(() -> {
				there.countDown();
				for (;;)
					LockSupport.park();
			});
		there.await();
		for (int i = 0; i < 2; i++) {
			int me = i;
			pair[i] = new Thread(() -> play(me), "handoff-" + i);
			pair[i].setDaemon(true);
			pair[i].start();
		}
		begin = true;
		long start = System.nanoTime();
		for (Thread t : pair)
			LockSupport.unpark(t);
		Runtime.getRuntime().addShutdownHook(new Thread(() ->
			System.out.println("parked " + parked + " own_handoff_ns "
				+ (handoffs == 0 ? 0 : (System.nanoTime() - start) / handoffs))));
		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE);
	}
}
