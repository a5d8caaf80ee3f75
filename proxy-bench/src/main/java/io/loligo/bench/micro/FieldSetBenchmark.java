package io.loligo.bench.micro;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Is a {@link FieldSet} of two words as fast as a set of one {@code long}, which had room for 63
 * ids? Each operation indexes the fields of a head and asks what a hit asks of it.
 *
 * <p>{@code oneWord} keeps the index as it was until November 2026.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar FieldSetBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
public class FieldSetBenchmark extends AbstractBenchmark {
  private static final byte[] NO_BYTES = {};

  private static final int[] IDS = {
    FieldName.HOST,
    FieldName.USER_AGENT,
    FieldName.ACCEPT,
    FieldName.ACCEPT_LANGUAGE,
    FieldName.ACCEPT_ENCODING,
    FieldName.CONNECTION,
    FieldName.REFERER,
    FieldName.COOKIE,
    FieldName.OTHER,
    FieldName.OTHER,
    FieldName.OTHER
  };

  private static final FieldSet FRAMING =
      FieldSet.of(FieldName.TRANSFER_ENCODING, FieldName.CONTENT_LENGTH);
  private static final FieldSet CONDITIONS =
      FieldSet.of(
          FieldName.IF_MATCH,
          FieldName.IF_NONE_MATCH,
          FieldName.IF_MODIFIED_SINCE,
          FieldName.IF_UNMODIFIED_SINCE);
  private static final FieldSet DIRECTIVES = FieldSet.of(FieldName.CACHE_CONTROL, FieldName.PRAGMA);

  private static final long FRAMING_WORD =
      1L << FieldName.TRANSFER_ENCODING | 1L << FieldName.CONTENT_LENGTH;
  private static final long CONDITIONS_WORD =
      1L << FieldName.IF_MATCH
          | 1L << FieldName.IF_NONE_MATCH
          | 1L << FieldName.IF_MODIFIED_SINCE
          | 1L << FieldName.IF_UNMODIFIED_SINCE;
  private static final long DIRECTIVES_WORD =
      1L << FieldName.CACHE_CONTROL | 1L << FieldName.PRAGMA;

  /** Fields in the head. */
  @Param({"1", "11"})
  int fields;

  private final Fields section = new Fields(32);
  private final OneWord oneWord = new OneWord(32);

  /** The index of today. */
  @Benchmark
  public int fieldSet() {
    section.clear(NO_BYTES);
    for (int i = 0; i < fields; i++) {
      section.add(IDS[i], i, 4, i, i);
    }
    int answers = section.bytes().length;
    answers += section.hasAny(FRAMING) ? 1 : 0;
    answers += section.hasAny(CONDITIONS) ? 2 : 0;
    answers += section.hasAny(DIRECTIVES) ? 4 : 0;
    answers += section.has(FieldName.RANGE) ? 8 : 0;
    answers += section.has(FieldName.AUTHORIZATION) ? 16 : 0;
    answers += section.has(FieldName.HOST) ? 32 : 0;
    return answers;
  }

  /** The index with one {@code long}. */
  @Benchmark
  public int oneWord() {
    oneWord.clear(NO_BYTES);
    for (int i = 0; i < fields; i++) {
      oneWord.add(IDS[i], i, 4, i, i);
    }
    int answers = oneWord.bytes.length;
    answers += oneWord.hasAny(FRAMING_WORD) ? 1 : 0;
    answers += oneWord.hasAny(CONDITIONS_WORD) ? 2 : 0;
    answers += oneWord.hasAny(DIRECTIVES_WORD) ? 4 : 0;
    answers += oneWord.has(FieldName.RANGE) ? 8 : 0;
    answers += oneWord.has(FieldName.AUTHORIZATION) ? 16 : 0;
    answers += oneWord.has(FieldName.HOST) ? 32 : 0;
    return answers;
  }

  /** What {@link Fields} was: a word for the ids of all fields. */
  private static final class OneWord {
    private static final int STRIDE = 4;

    private int[] index;

    @SuppressWarnings("NullAway.Init") // set by clear, before any use
    byte[] bytes;

    private int count;
    private long known;

    OneWord(int expectedFields) {
      index = new int[expectedFields * STRIDE];
    }

    void clear(byte[] ofFields) {
      bytes = ofFields;
      count = 0;
      known = 0;
    }

    void add(int id, int nameStart, int nameLength, int valueStart, int valueEnd) {
      int at = count * STRIDE;
      if (at == index.length) {
        index = Arrays.copyOf(index, at * 2);
      }
      index[at] = id << 24 | nameLength;
      index[at + 1] = nameStart;
      index[at + 2] = valueStart;
      index[at + 3] = valueEnd;
      known |= 1L << id;
      count++;
    }

    boolean has(int id) {
      return (known & 1L << id) != 0;
    }

    boolean hasAny(long mask) {
      return (known & mask) != 0;
    }
  }
}
