package io.loligo.server.exchange.explain;

import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.range.Slice;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.explain.StoredSlices;
import io.loligo.store.Store.Peek;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the stored slices of a URL for operators. It searches the index in batches, then looks at
 * each slice found. Confined to the loop.
 */
final class SliceSurvey {
  /** The most slices searched for in the index. */
  private static final int MAX_PROBED = 65_536;

  /** Slices searched for in one task of the loop. */
  private static final int AT_ONCE = 512;

  /** The most slices looked at. */
  private static final int MAX_SEEN = 1_024;

  private final LoopServices services;
  private final EventExecutor executor;
  private final Fields request;
  private final RequestTarget target;
  private final long sliceBytes;
  private final Consumer<StoredSlices> then;
  private final List<Long> candidates = new ArrayList<>();
  private final List<Long> stored = new ArrayList<>();
  private long probed;

  SliceSurvey(
      LoopServices services,
      EventExecutor executor,
      RequestHead head,
      RequestTarget target,
      long sliceBytes,
      Consumer<StoredSlices> then) {
    this.services = services;
    this.executor = executor;
    RequestHead copy = head.snapshot();
    this.request = copy.fields();
    this.target = target.snapshot(copy);
    this.sliceBytes = sliceBytes;
    this.then = then;
  }

  void start() {
    for (int i = 0; i < AT_ONCE && !enough(); i++) {
      key(probed);
      if (services.keys.mayHold(target)) {
        candidates.add(probed);
      }
      probed++;
    }
    if (enough()) {
      look(0);
    } else {
      executor.execute(this::start);
    }
  }

  private boolean enough() {
    return probed == MAX_PROBED || candidates.size() == MAX_SEEN;
  }

  private void key(long number) {
    services.keys.keyBySlice(target, new Slice(sliceBytes, number, null));
  }

  private void look(int place) {
    if (place == candidates.size()) {
      then.accept(new StoredSlices(sliceBytes, stored, candidates.size() < MAX_SEEN));
      return;
    }
    long number = candidates.get(place);
    key(number);
    services.store.peek(
        services.keys.probe(target).toKey(),
        request,
        executor,
        peek -> {
          if (isThere(peek)) {
            stored.add(number);
          }
          look(place + 1);
        });
  }

  private static boolean isThere(Peek peek) {
    return peek.variants().stream().anyMatch(one -> !one.purged());
  }
}
