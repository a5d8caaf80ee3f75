package io.loligo.cluster;

import java.util.Arrays;

/**
 * What happens in a simulation, in the order of time, and of being added. A heap in plain arrays,
 * because a simulation does little else. Confined to one thread.
 */
public final class Events {
  private long[] nanos = new long[256];
  private long[] orders = new long[256];
  private Runnable[] actions = new Runnable[256];
  private int size;
  private long added;
  private long removed;

  /** None. */
  public Events() {}

  public boolean isEmpty() {
    return size == 0;
  }

  /** The time of the first one; there is one. */
  public long firstNanos() {
    return nanos[0];
  }

  /** The number of the one that was removed last, as they were added. */
  public long removedOrder() {
    return removed;
  }

  /** Adds {@code action} behind all others of the same time. */
  public void add(long atNanos, Runnable action) {
    if (size == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * size);
      orders = Arrays.copyOf(orders, 2 * size);
      actions = Arrays.copyOf(actions, 2 * size);
    }
    int at = size++;
    long order = added++;
    while (at > 0) {
      int parent = (at - 1) >>> 1;
      if (nanos[parent] <= atNanos) {
        break; // an earlier one, or one that was added before
      }
      move(parent, at);
      at = parent;
    }
    put(at, atNanos, order, action);
  }

  /** Removes the first one, and returns what it does. */
  public Runnable remove() {
    Runnable first = actions[0];
    removed = orders[0];
    size--;
    long lastNanos = nanos[size];
    long lastOrder = orders[size];
    Runnable last = actions[size];
    int at = 0;
    int child = 1;
    while (child < size) {
      if (child + 1 < size && isBefore(child + 1, nanos[child], orders[child])) {
        child++;
      }
      if (!isBefore(child, lastNanos, lastOrder)) {
        break;
      }
      move(child, at);
      at = child;
      child = 2 * at + 1;
    }
    put(at, lastNanos, lastOrder, last);
    actions[size] = null;
    return first;
  }

  private boolean isBefore(int index, long otherNanos, long otherOrder) {
    return nanos[index] != otherNanos ? nanos[index] < otherNanos : orders[index] < otherOrder;
  }

  private void move(int from, int to) {
    put(to, nanos[from], orders[from], actions[from]);
  }

  private void put(int index, long atNanos, long order, Runnable action) {
    nanos[index] = atNanos;
    orders[index] = order;
    actions[index] = action;
  }
}
