package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.IpText;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Compiled sets against plain searches. */
class SetsTest {
  record Block(byte[] first, byte[] last, int prefixBits) {
    boolean holds(byte[] address) {
      if (address.length != first.length) {
        return false;
      }
      int host = address.length * 8 - prefixBits;
      BigInteger value = number(address);
      BigInteger from = number(first).shiftRight(host).shiftLeft(host);
      BigInteger to = number(last).shiftRight(host).add(BigInteger.ONE).shiftLeft(host);
      return value.compareTo(from) >= 0 && value.compareTo(to) < 0;
    }

    private static BigInteger number(byte[] bytes) {
      return new BigInteger(1, bytes);
    }
  }

  @Provide
  Arbitrary<byte[]> address() {
    // few distinct bytes, so that blocks meet and overlap
    Arbitrary<Byte> anyByte =
        Arbitraries.of((byte) 0, (byte) 1, (byte) 127, (byte) -128, (byte) -1);
    return Arbitraries.of(4, 16).flatMap(size -> anyByte.array(byte[].class).ofSize(size));
  }

  @Provide
  Arbitrary<List<Block>> blocks() {
    Arbitrary<Block> block =
        Arbitraries.of(4, 16)
            .flatMap(
                size -> {
                  Arbitrary<byte[]> one =
                      Arbitraries.of((byte) 0, (byte) 1, (byte) 127, (byte) -128, (byte) -1)
                          .array(byte[].class)
                          .ofSize(size);
                  return Combinators.combine(one, one, Arbitraries.integers().between(0, size * 8))
                      .as(Block::new);
                });
    return block.list().ofMaxSize(12);
  }

  @Property(tries = 500)
  void addressSetAgreesWithEachBlock(
      @ForAll("blocks") List<Block> blocks,
      @ForAll @Size(max = 20) List<@From("address") byte[]> probes) {
    AddressSet.Builder builder = new AddressSet.Builder();
    List<Block> taken = new ArrayList<>();
    for (Block block : blocks) {
      if (builder.add(block.first(), block.last(), block.prefixBits())) {
        taken.add(block);
      }
    }
    AddressSet set = builder.build();
    for (byte[] probe : probes) {
      byte[] seen = IpText.unmapped(probe);
      assertThat(set.contains(probe)).isEqualTo(taken.stream().anyMatch(one -> one.holds(seen)));
    }
  }

  @Provide
  Arbitrary<String> host() {
    return Arbitraries.of("a", "b", "com", "example")
        .list()
        .ofMinSize(1)
        .ofMaxSize(4)
        .map(labels -> String.join(".", labels));
  }

  @Property(tries = 500)
  void domainSetAgreesWithEachValue(
      @ForAll @Size(max = 30) List<@From("host") String> names,
      @ForAll("host") String probe,
      @ForAll int dots) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      values.add(((dots >> (i % 31)) & 1) == 0 ? names.get(i) : "." + names.get(i));
    }
    boolean expected =
        values.stream()
            .anyMatch(
                value ->
                    value.startsWith(".") ? ("." + probe).endsWith(value) : probe.equals(value));
    assertThat(new DomainSet(values).contains(probe)).isEqualTo(expected);
  }

  @Property(tries = 200)
  void numberRangesAgreeWithEachPair(
      @ForAll @Size(max = 10) List<@IntRange(max = 60) Integer> starts,
      @ForAll @IntRange(max = 70) int probe) {
    List<int[]> pairs = starts.stream().map(start -> new int[] {start, start + start % 7}).toList();
    boolean expected = pairs.stream().anyMatch(pair -> probe >= pair[0] && probe <= pair[1]);
    assertThat(new NumberRanges(pairs).contains(probe)).isEqualTo(expected);
  }
}
