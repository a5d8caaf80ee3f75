package io.loligo.cluster.purges;

import io.loligo.cluster.group.NodeRun;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The form of a journal's file. Immutable.
 *
 * <p>Numbers have the highest byte first. A file begins with {@value #MAGIC} (8 bytes) and the
 * version {@value #VERSION} (4). A record is the length of its body (4), the CRC-32C of its body
 * (4), and the body: the type (1), the stream (node 16, run 8), the number (8), and for an entry
 * its bytes. Types are 1 {@link PurgeJournal.Line.Entry}, 2 {@link PurgeJournal.Line.Applied}, 3
 * {@link PurgeJournal.Line.Missing}, 4 {@link PurgeJournal.Line.Forgotten}, whose number is 0.
 */
final class JournalForm {
  static final long MAGIC = 0x6c6f6c69_67507572L;
  static final int VERSION = 1;
  static final int HEAD_BYTES = Long.BYTES + Integer.BYTES;

  private static final int RECORD_HEAD_BYTES = 2 * Integer.BYTES;
  private static final int BODY_BYTES = 1 + 4 * Long.BYTES;

  /** How the records of a file end. */
  enum End {
    /** With the last byte. */
    WHOLE,

    /** With bytes that are no record: the last ones were not written. */
    TORN,

    /** Records follow bytes that are none, or the file is none of this version. */
    DAMAGED
  }

  private JournalForm() {}

  static byte[] head() {
    return ByteBuffer.wrap(new byte[HEAD_BYTES]).putLong(MAGIC).putInt(VERSION).array();
  }

  static byte[] record(PurgeJournal.Line line) {
    if (line instanceof PurgeJournal.Line.Entry entry) {
      return record(1, entry.stream(), entry.number(), entry.entry());
    } else if (line instanceof PurgeJournal.Line.Applied applied) {
      return record(2, applied.stream(), applied.number(), new byte[0]);
    } else if (line instanceof PurgeJournal.Line.Missing missing) {
      return record(3, missing.stream(), missing.number(), new byte[0]);
    }
    return record(4, ((PurgeJournal.Line.Forgotten) line).stream(), 0, new byte[0]);
  }

  private static byte[] record(int type, NodeRun stream, long number, byte[] entry) {
    byte[] record = new byte[RECORD_HEAD_BYTES + BODY_BYTES + entry.length];
    int length = record.length - RECORD_HEAD_BYTES;
    ByteBuffer.wrap(record)
        .position(RECORD_HEAD_BYTES)
        .put((byte) type)
        .putLong(stream.node().getMostSignificantBits())
        .putLong(stream.node().getLeastSignificantBits())
        .putLong(stream.run())
        .putLong(number)
        .put(entry);
    ByteBuffer.wrap(record).putInt(length).putInt(sum(record, RECORD_HEAD_BYTES, length));
    return record;
  }

  /** Reads the records of {@code file} that are whole. */
  static End read(byte[] file, Consumer<PurgeJournal.Line> lines) {
    ByteBuffer in = ByteBuffer.wrap(file);
    if (file.length < HEAD_BYTES) {
      return End.TORN;
    }
    if (in.getLong() != MAGIC || in.getInt() != VERSION) {
      return End.DAMAGED;
    }
    boolean hole = false;
    boolean damaged = false;
    int at = HEAD_BYTES;
    while (at < file.length) {
      int length = file.length - at < RECORD_HEAD_BYTES ? 0 : in.getInt(at);
      PurgeJournal.Line line = length < BODY_BYTES ? null : line(file, at, length);
      if (line == null) {
        hole = true;
        at++;
      } else {
        damaged |= hole;
        lines.accept(line);
        at += RECORD_HEAD_BYTES + length;
      }
    }
    return damaged ? End.DAMAGED : hole ? End.TORN : End.WHOLE;
  }

  private static PurgeJournal.@Nullable Line line(byte[] file, int at, int length) {
    if (length > BODY_BYTES + PurgeMessage.MAX_ENTRY_BYTES
        || length > file.length - at - RECORD_HEAD_BYTES) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(file).position(at + Integer.BYTES);
    if (in.getInt() != sum(file, at + RECORD_HEAD_BYTES, length)) {
      return null;
    }
    byte type = in.get();
    NodeRun stream = new NodeRun(new UUID(in.getLong(), in.getLong()), in.getLong());
    long number = in.getLong();
    byte[] entry = new byte[length - BODY_BYTES];
    in.get(entry);
    return switch (type) {
      case 1 -> new PurgeJournal.Line.Entry(stream, number, entry);
      case 2 -> new PurgeJournal.Line.Applied(stream, number);
      case 3 -> new PurgeJournal.Line.Missing(stream, number);
      case 4 -> new PurgeJournal.Line.Forgotten(stream);
      default -> null;
    };
  }

  private static int sum(byte[] bytes, int from, int length) {
    CRC32C sum = new CRC32C();
    sum.update(bytes, from, length);
    return (int) sum.getValue();
  }
}
