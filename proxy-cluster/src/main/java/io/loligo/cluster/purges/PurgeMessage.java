package io.loligo.cluster.purges;

import io.loligo.cluster.group.NodeRun;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message between nodes about purges. Immutable.
 *
 * <p>Its form, numbers with the highest byte first: the version {@value #VERSION} (1 byte); the
 * type (1), and by type
 *
 * <ul>
 *   <li>1, {@link Entries}: the stream (node 16, run 8), the first number (8), the number of
 *       entries (4), and for each its length (4) and its bytes
 *   <li>2, {@link Acknowledged}: the stream (24), the number (8)
 *   <li>3, {@link Vector}: complete and ask as bits 0 and 1 (1), the number of positions (4), and
 *       for each the stream (24), applied (8) and the first that is retained (8)
 *   <li>4, {@link Pull}: the stream (24), the first number (8)
 *   <li>5, {@link Summary}: ask as bit 1 (1), the question (8), the sums (64 times 8), and
 *       positions as in a vector
 *   <li>6, {@link AskParts}: the round (8), the parts as bits (8)
 *   <li>7, {@link Parts}: last as bit 0 (1), the round (8), and positions as in a vector
 * </ul>
 */
sealed interface PurgeMessage {
  /** Of this form. A message of another version is dropped. */
  byte VERSION = 1;

  /** The longest message. */
  int MAX_BYTES = 1 << 20;

  /** The longest entry. */
  int MAX_ENTRY_BYTES = 60_000;

  /** A message of entries ends with the entry that reaches this. */
  int BATCH_BYTES = 64 << 10;

  /** Numbers stay below. */
  long MAX_NUMBER = 1L << 60;

  /** Positions in one {@link Summary} or {@link Parts}, at most: 64 KB. */
  int MAX_POSITIONS = 1_600;

  int HEAD_BYTES = 2;
  int STREAM_BYTES = 3 * Long.BYTES;
  int POSITION_BYTES = STREAM_BYTES + 2 * Long.BYTES;

  /** Purges of {@code stream} from number {@code first} on. */
  record Entries(NodeRun stream, long first, List<byte[]> entries) implements PurgeMessage {}

  /** The node carried out all purges of {@code stream} up to {@code number}. */
  record Acknowledged(NodeRun stream, long number) implements PurgeMessage {}

  /**
   * How far the node is.
   *
   * @param complete whether these are all streams that it knows
   * @param ask whether it wants the same of the receiver
   */
  record Vector(boolean complete, boolean ask, List<Position> positions) implements PurgeMessage {}

  /** Asks for purges of {@code stream} from number {@code from} on. */
  record Pull(NodeRun stream, long from) implements PurgeMessage {}

  /**
   * How far the node is in all streams.
   *
   * @param question its number, if it asks; else that of the question that it answers; 0: none
   * @param ask whether it wants the same of the receiver
   * @param recent streams of which it retains purges or has not carried out all; not all of them if
   *     there are many
   * @param sums of the other streams, by {@link StreamSums}
   */
  record Summary(long question, boolean ask, long[] sums, List<Position> recent)
      implements PurgeMessage {}

  /**
   * Asks for the positions of all streams of some parts.
   *
   * @param round names this question
   * @param parts as bits
   */
  record AskParts(long round, long parts) implements PurgeMessage {}

  /** Some of the positions that {@link AskParts} asked for, and whether they are the last ones. */
  record Parts(long round, boolean last, List<Position> positions) implements PurgeMessage {}

  /**
   * How far a node is in a stream.
   *
   * @param applied it carried out all up to this one
   * @param firstRetained it can give from here on
   */
  record Position(NodeRun stream, long applied, long firstRetained) {}

  /** Writes {@code message}. */
  static byte[] encode(PurgeMessage message) {
    byte[] written = new byte[bytes(message)];
    ByteBuffer out = ByteBuffer.wrap(written).put(VERSION);
    if (message instanceof Entries entries) {
      write(out.put((byte) 1), entries.stream());
      out.putLong(entries.first()).putInt(entries.entries().size());
      for (byte[] entry : entries.entries()) {
        out.putInt(entry.length).put(entry);
      }
    } else if (message instanceof Acknowledged acknowledged) {
      write(out.put((byte) 2), acknowledged.stream());
      out.putLong(acknowledged.number());
    } else if (message instanceof Vector vector) {
      out.put((byte) 3).put((byte) ((vector.complete() ? 1 : 0) | (vector.ask() ? 2 : 0)));
      write(out, vector.positions());
    } else if (message instanceof Summary summary) {
      out.put((byte) 5).put((byte) (summary.ask() ? 2 : 0)).putLong(summary.question());
      for (long sum : summary.sums()) {
        out.putLong(sum);
      }
      write(out, summary.recent());
    } else if (message instanceof AskParts asking) {
      out.put((byte) 6).putLong(asking.round()).putLong(asking.parts());
    } else if (message instanceof Parts parts) {
      out.put((byte) 7).put((byte) (parts.last() ? 1 : 0)).putLong(parts.round());
      write(out, parts.positions());
    } else {
      Pull pull = (Pull) message;
      write(out.put((byte) 4), pull.stream());
      out.putLong(pull.from());
    }
    return written;
  }

  private static int bytes(PurgeMessage message) {
    if (message instanceof Entries entries) {
      int bytes = HEAD_BYTES + STREAM_BYTES + Long.BYTES + Integer.BYTES;
      for (byte[] entry : entries.entries()) {
        bytes += Integer.BYTES + entry.length;
      }
      return bytes;
    }
    if (message instanceof Vector vector) {
      return HEAD_BYTES + 1 + bytes(vector.positions());
    }
    if (message instanceof Summary summary) {
      return HEAD_BYTES + 1 + (1 + StreamSums.PARTS) * Long.BYTES + bytes(summary.recent());
    }
    if (message instanceof Parts parts) {
      return HEAD_BYTES + 1 + Long.BYTES + bytes(parts.positions());
    }
    return message instanceof AskParts
        ? HEAD_BYTES + 2 * Long.BYTES
        : HEAD_BYTES + STREAM_BYTES + Long.BYTES;
  }

  private static int bytes(List<Position> positions) {
    return Integer.BYTES + positions.size() * POSITION_BYTES;
  }

  /** Reads a message; null: it is none of this version, or it breaks a limit. */
  static @Nullable PurgeMessage decode(byte[] message) {
    if (message.length < HEAD_BYTES || message.length > MAX_BYTES || message[0] != VERSION) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(message).position(HEAD_BYTES);
    PurgeMessage read =
        switch (message[1]) {
          case 1 -> entries(in);
          case 2 -> acknowledged(in);
          case 3 -> vector(in);
          case 4 -> pull(in);
          case 5 -> summary(in);
          case 6 -> asking(in);
          case 7 -> parts(in);
          default -> null;
        };
    return in.hasRemaining() ? null : read;
  }

  private static @Nullable PurgeMessage entries(ByteBuffer in) {
    if (in.remaining() < STREAM_BYTES + Long.BYTES + Integer.BYTES) {
      return null;
    }
    NodeRun stream = stream(in);
    long first = in.getLong();
    int count = in.getInt();
    if (first < 1 || first > MAX_NUMBER || count < 1 || count > in.remaining() / Integer.BYTES) {
      return null;
    }
    List<byte[]> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
      if (length < 0 || length > MAX_ENTRY_BYTES || length > in.remaining()) {
        return null;
      }
      byte[] entry = new byte[length];
      in.get(entry);
      entries.add(entry);
    }
    return new Entries(stream, first, entries);
  }

  private static @Nullable PurgeMessage acknowledged(ByteBuffer in) {
    if (in.remaining() != STREAM_BYTES + Long.BYTES) {
      return null;
    }
    NodeRun stream = stream(in);
    long number = in.getLong();
    return number < 1 || number > MAX_NUMBER ? null : new Acknowledged(stream, number);
  }

  private static @Nullable PurgeMessage vector(ByteBuffer in) {
    if (in.remaining() < 1 + Integer.BYTES) {
      return null;
    }
    byte flags = in.get();
    List<Position> positions = positions(in);
    return flags < 0 || flags > 3 || positions == null
        ? null
        : new Vector((flags & 1) != 0, (flags & 2) != 0, positions);
  }

  private static @Nullable PurgeMessage summary(ByteBuffer in) {
    if (in.remaining() < 1 + (1 + StreamSums.PARTS) * Long.BYTES + Integer.BYTES) {
      return null;
    }
    byte flags = in.get();
    long question = in.getLong();
    long[] sums = new long[StreamSums.PARTS];
    for (int i = 0; i < sums.length; i++) {
      sums[i] = in.getLong();
    }
    List<Position> recent = positions(in);
    return (flags & ~2) != 0 || recent == null || recent.size() > MAX_POSITIONS
        ? null
        : new Summary(question, flags != 0, sums, recent);
  }

  private static @Nullable PurgeMessage asking(ByteBuffer in) {
    return in.remaining() == 2 * Long.BYTES ? new AskParts(in.getLong(), in.getLong()) : null;
  }

  private static @Nullable PurgeMessage parts(ByteBuffer in) {
    if (in.remaining() < 1 + Long.BYTES + Integer.BYTES) {
      return null;
    }
    byte flags = in.get();
    long round = in.getLong();
    List<Position> positions = positions(in);
    return (flags & ~1) != 0 || positions == null || positions.size() > MAX_POSITIONS
        ? null
        : new Parts(round, flags != 0, positions);
  }

  /** The rest of a message; null: it is malformed. */
  private static @Nullable List<Position> positions(ByteBuffer in) {
    int count = in.getInt();
    if (count < 0 || in.remaining() != (long) count * POSITION_BYTES) {
      return null;
    }
    List<Position> positions = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Position position = new Position(stream(in), in.getLong(), in.getLong());
      if (position.applied() < 0
          || position.applied() > MAX_NUMBER
          || position.firstRetained() < 1
          || position.firstRetained() > MAX_NUMBER) {
        return null;
      }
      positions.add(position);
    }
    return positions;
  }

  private static @Nullable PurgeMessage pull(ByteBuffer in) {
    if (in.remaining() != STREAM_BYTES + Long.BYTES) {
      return null;
    }
    NodeRun stream = stream(in);
    long from = in.getLong();
    return from < 1 || from > MAX_NUMBER ? null : new Pull(stream, from);
  }

  private static void write(ByteBuffer out, List<Position> positions) {
    out.putInt(positions.size());
    for (Position position : positions) {
      write(out, position.stream());
      out.putLong(position.applied()).putLong(position.firstRetained());
    }
  }

  private static void write(ByteBuffer out, NodeRun run) {
    out.putLong(run.node().getMostSignificantBits())
        .putLong(run.node().getLeastSignificantBits())
        .putLong(run.run());
  }

  private static NodeRun stream(ByteBuffer in) {
    return new NodeRun(new UUID(in.getLong(), in.getLong()), in.getLong());
  }
}
