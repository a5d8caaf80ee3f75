package io.loligo.store.map;

import io.loligo.core.caching.HashedKey;
import io.loligo.store.Interleavings;
import io.loligo.store.stripes.Stripes;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each value found is the last one put under its key, whatever the slots hold in between. */
@Tag("interleavings")
final class MapInterleavingsTest {
  @Test
  void isAsIfOneCameAfterTheOther() {
    new ModelCheckingOptions()
        .iterations(6)
        .invocationsPerIteration(Interleavings.of(300))
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(2)
        .actorsAfter(3)
        .check(Keys.class);
  }

  /** The slot of a key has another key only while a reader takes its value. */
  @Test
  void aValueIsNotFoundUnderTheFormerKeyOfItsSlot() {
    new ModelCheckingOptions()
        .iterations(12)
        .invocationsPerIteration(Interleavings.of(150))
        .threads(2)
        .actorsPerThread(1)
        .actorsBefore(0)
        .actorsAfter(0)
        .check(OneSlot.class);
  }

  private record Value(long high, long low, int content) implements HashedKey {}

  private static WeighedMap<Value> map() {
    return new WeighedMap<>(Stripes.ONE, 1000, value -> 1, (value, evicted) -> {}, Runnable::run);
  }

  /** A map whose only slot is that of {@link #KEY} or {@link #OTHER}. Made by Lincheck. */
  public static final class OneSlot {
    private static final Value KEY = new Value(1, 5, 0);
    private static final Value OTHER = new Value(1, 6, 0);

    private final WeighedMap<Value> map = map();

    public OneSlot() {
      map.compute(KEY, before -> KEY);
    }

    @Operation
    public void get() {
      check(map.get(new Compared()));
    }

    @Operation
    public void peek() {
      check(map.peek(new Compared()));
    }

    private static void check(Value found) {
      if (found != null && found != KEY) {
        throw new IllegalStateException("found under another key: " + found);
      }
    }

    @Operation
    public void give() {
      map.remove(KEY);
      map.compute(OTHER, before -> OTHER);
    }

    /** {@link #KEY}, which takes its slot back when a value is compared with it. */
    private final class Compared implements HashedKey {
      /** To find the stripe, and the slot. */
      private int left = 2;

      @Override
      public long high() {
        if (left-- == 0) {
          map.remove(OTHER);
          map.compute(KEY, before -> KEY);
        }
        return KEY.high;
      }

      @Override
      public long low() {
        return KEY.low;
      }
    }
  }

  /** A map with three keys, two of which share a stripe. Made by Lincheck. */
  @Param(name = "key", gen = IntGen.class, conf = "0:2")
  @Param(name = "content", gen = IntGen.class, conf = "1:100")
  public static final class Keys {
    private static final Value[] KEYS = {
      new Value(1, 5, 0), new Value(1, 6, 0), new Value(1L << 63, 7, 0)
    };

    private final WeighedMap<Value> map = map();

    @Operation
    public void put(@Param(name = "key") int key, @Param(name = "content") int content) {
      Value now = new Value(KEYS[key].high, KEYS[key].low, content);
      map.compute(now, before -> now);
    }

    @Operation
    public int get(@Param(name = "key") int key) {
      return content(map.get(KEYS[key]));
    }

    @Operation
    public int remove(@Param(name = "key") int key) {
      return content(map.remove(KEYS[key]));
    }

    private static int content(Value value) {
      return value == null ? -1 : value.content;
    }
  }
}
