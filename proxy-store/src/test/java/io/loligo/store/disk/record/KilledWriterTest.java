package io.loligo.store.disk.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it writes: what it had confirmed is there. */
final class KilledWriterTest {
  private static final long RECORDS = 5000;
  private static final int KEYS = 4000;
  private static final int KILLS = 3;

  @TempDir Path directory;

  /** The process: one change after the other, each confirmed by its number, for ever. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) throws IOException {
      Path file = Path.of(arguments[0]);
      long change = Long.parseLong(arguments[1]);
      RecordMap map =
          change == 0
              ? ChronicleRecordMap.create(file, RECORDS)
              : ChronicleRecordMap.recover(file, RECORDS);
      for (; ; change++) {
        long low = keyOf(change);
        if (isRemoval(change)) {
          map.remove(TestRecord.high(low), low);
        } else if (!TestRecord.put(map, low, change)) {
          throw new AssertionError("no room for " + low);
        }
        System.out.println("change " + change);
      }
    }
  }

  private static long keyOf(long change) {
    return change * 7919 % KEYS;
  }

  private static boolean isRemoval(long change) {
    return change % 5 == 4;
  }

  @Test
  void keepsWhatWasConfirmed() throws Exception {
    Path file = directory.resolve("map");
    Map<Long, Long> expected = new HashMap<>();
    long change = 0;
    for (int kill = 1; kill <= KILLS; kill++) {
      long last = killed(file, change, kill * 3000L);
      for (; change <= last; change++) {
        if (isRemoval(change)) {
          expected.remove(keyOf(change));
        } else {
          expected.put(keyOf(change), change);
        }
      }
      expected.remove(keyOf(change)); // begun, perhaps: anything may be there
      check(file, expected, keyOf(change));
      change++;
    }
  }

  /** Kills a writer some time after a change; the last one that it confirmed. */
  private static long killed(Path file, long from, long after) throws IOException {
    Process writer = ChildJvm.of(Writer.class, List.of(), file, from).start();
    StringBuilder other = new StringBuilder();
    long last = -1;
    try (BufferedReader lines = writer.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.matches("change \\d+")) {
          last = Math.max(last, Long.parseLong(line.substring(7)));
          if (last == from + after) {
            writer.toHandle().destroyForcibly(); // the process; its output is read to the end
          }
        } else {
          other.append(line).append('\n');
        }
      }
    }
    assertThat(last).as(other.toString()).isGreaterThanOrEqualTo(from + after);
    return last;
  }

  private static void check(Path file, Map<Long, Long> expected, long begun) throws IOException {
    try (RecordMap map = ChronicleRecordMap.recover(file, RECORDS)) {
      for (long low = 0; low < KEYS; low++) {
        if (low != begun) {
          assertThat(TestRecord.get(map, low))
              .isEqualTo(expected.getOrDefault(low, TestRecord.ABSENT));
        }
      }
      ByteBuf ignored = Unpooled.buffer(RecordMap.RECORD_BYTES);
      boolean there = map.get(TestRecord.high(begun), begun, ignored);
      assertThat(map.size()).isEqualTo(expected.size() + (there ? 1 : 0));
      map.remove(TestRecord.high(begun), begun);
    }
  }
}
