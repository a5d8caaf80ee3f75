package io.loligo.cluster.purges;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.group.NodeRun;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class PurgeMessageTest {
  private static final NodeRun STREAM = new NodeRun(new UUID(1, 2), 3);

  @Property(tries = 300)
  void aMessageComesAsItWent(@ForAll("messages") PurgeMessage message) {
    byte[] written = PurgeMessage.encode(message);
    PurgeMessage read = PurgeMessage.decode(written);
    assertThat(read).usingRecursiveComparison().isEqualTo(message);
  }

  @Property(tries = 300)
  void aCutOrLongerMessageIsNone(
      @ForAll("messages") PurgeMessage message, @ForAll("lengths") int length) {
    byte[] written = PurgeMessage.encode(message);
    if (length != written.length) {
      assertThat(PurgeMessage.decode(Arrays.copyOf(written, length))).isNull();
    }
  }

  /** Whatever is read has numbers within the limits, and is written as it came. */
  @Property(tries = 2_000)
  void changedBytesAreNoHarm(
      @ForAll("messages") PurgeMessage message, @ForAll("lengths") int at, @ForAll byte value) {
    byte[] written = PurgeMessage.encode(message);
    written[at % written.length] = value;
    PurgeMessage read = PurgeMessage.decode(written);
    if (read != null) {
      assertThat(PurgeMessage.encode(read)).isEqualTo(written);
    }
  }

  @Test
  void anotherVersionIsNotRead() {
    byte[] written = PurgeMessage.encode(new PurgeMessage.Pull(STREAM, 1));
    written[0] = 2;
    assertThat(PurgeMessage.decode(written)).isNull();
  }

  @Test
  void numbersOutsideTheirLimitsAreNotRead() {
    for (long number : new long[] {0, -1, Long.MIN_VALUE, PurgeMessage.MAX_NUMBER + 1}) {
      assertThat(read(new PurgeMessage.Pull(STREAM, number))).isNull();
      assertThat(read(new PurgeMessage.Acknowledged(STREAM, number))).isNull();
      assertThat(read(new PurgeMessage.Entries(STREAM, number, List.of(new byte[1])))).isNull();
      assertThat(read(vector(new PurgeMessage.Position(STREAM, 1, number)))).isNull();
    }
    assertThat(read(vector(new PurgeMessage.Position(STREAM, -1, 1)))).isNull();
    assertThat(read(new PurgeMessage.Entries(STREAM, 1, List.of()))).isNull();
  }

  @Test
  void anEntryHasALimit() {
    byte[] longest = new byte[PurgeMessage.MAX_ENTRY_BYTES];
    byte[] longer = new byte[PurgeMessage.MAX_ENTRY_BYTES + 1];
    assertThat(read(new PurgeMessage.Entries(STREAM, 1, List.of(longest)))).isNotNull();
    assertThat(read(new PurgeMessage.Entries(STREAM, 1, List.of(longer)))).isNull();
  }

  private static PurgeMessage read(PurgeMessage message) {
    return PurgeMessage.decode(PurgeMessage.encode(message));
  }

  private static PurgeMessage vector(PurgeMessage.Position position) {
    return new PurgeMessage.Vector(true, false, List.of(position));
  }

  @Provide
  Arbitrary<Integer> lengths() {
    return Arbitraries.integers().between(0, 800);
  }

  @Provide
  Arbitrary<PurgeMessage> messages() {
    Arbitrary<Long> any = Arbitraries.longs();
    Arbitrary<NodeRun> stream =
        Combinators.combine(any, any, any).as((a, b, run) -> new NodeRun(new UUID(a, b), run));
    Arbitrary<Long> number = Arbitraries.longs().between(1, PurgeMessage.MAX_NUMBER);
    Arbitrary<byte[]> entry = Arbitraries.bytes().array(byte[].class).ofMaxSize(20);
    Arbitrary<PurgeMessage.Position> position =
        Combinators.combine(stream, Arbitraries.longs().between(0, PurgeMessage.MAX_NUMBER), number)
            .as(PurgeMessage.Position::new);
    Arbitrary<long[]> sums = any.array(long[].class).ofSize(StreamSums.PARTS);
    return Arbitraries.oneOf(
        Combinators.combine(stream, number, entry.list().ofMinSize(1).ofMaxSize(5))
            .as(PurgeMessage.Entries::new),
        Combinators.combine(stream, number).as(PurgeMessage.Acknowledged::new),
        Combinators.combine(
                Arbitraries.of(true, false),
                Arbitraries.of(true, false),
                position.list().ofMaxSize(5))
            .as(PurgeMessage.Vector::new),
        Combinators.combine(stream, number).as(PurgeMessage.Pull::new),
        Combinators.combine(any, Arbitraries.of(true, false), sums, position.list().ofMaxSize(5))
            .as(PurgeMessage.Summary::new),
        Combinators.combine(any, any).as(PurgeMessage.AskParts::new),
        Combinators.combine(any, Arbitraries.of(true, false), position.list().ofMaxSize(5))
            .as(PurgeMessage.Parts::new));
  }
}
