package io.loligo.store.map;

import io.loligo.core.caching.HashedKey;
import io.loligo.store.Interleavings;
import io.loligo.store.stripes.Stripes;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
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

  /** The slot of a key has another key only while a reader looks at its value. */
  @Test
  void aValueIsNotFoundUnderTheFormerKeyOfItsSlot() throws Exception {
    Actor before = put(0, 10);
    List<Actor> reader = List.of(actor("get", 0));
    List<Actor> writer = List.of(actor("remove", 0), put(1, 20), actor("remove", 1), put(0, 30));
    new ModelCheckingOptions()
        .iterations(0)
        .addCustomScenario(
            new ExecutionScenario(List.of(before), List.of(reader, writer), List.of(), null))
        .invocationsPerIteration(Interleavings.of(5000))
        .check(Keys.class);
  }

  private static Actor put(int key, int content) throws NoSuchMethodException {
    return new Actor(
        Keys.class.getMethod("put", int.class, int.class), List.<Object>of(key, content));
  }

  private static Actor actor(String name, int key) throws NoSuchMethodException {
    return new Actor(Keys.class.getMethod(name, int.class), List.<Object>of(key));
  }

  /** A map with three keys, two of which share a stripe. Made by Lincheck. */
  @Param(name = "key", gen = IntGen.class, conf = "0:2")
  @Param(name = "content", gen = IntGen.class, conf = "1:100")
  public static final class Keys {
    private record Value(long high, long low, int content) implements HashedKey {}

    private static final Value[] KEYS = {
      new Value(1, 5, 0), new Value(1, 6, 0), new Value(1L << 63, 7, 0)
    };

    private final WeighedMap<Value> map =
        new WeighedMap<>(Stripes.ONE, 1000, value -> 1, (value, evicted) -> {}, Runnable::run);

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
