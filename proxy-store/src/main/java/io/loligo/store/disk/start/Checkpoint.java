package io.loligo.store.disk.start;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.segment.Segment.Kind;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The content of a directory at one moment: a table of the segments in use, then for each
 * completely written packed segment a section with its {@link Contents}. Read and written in order,
 * in a file of constant size; the header, written last, gives the length. See {@code
 * docs/disk-format.md}. Confined to one thread.
 */
public final class Checkpoint {
  private static final long MAGIC = 0x4C4F4C49474F4350L;
  private static final int HEADER_BYTES = FileSizes.CHECKPOINT_HEADER_BYTES;
  private static final int STATE_BYTES = FileSizes.SEGMENT_STATE_BYTES;

  private Checkpoint() {}

  /**
   * The beginning of a checkpoint.
   *
   * @param mark from where the journals count
   * @param nextId higher than all numbers in use
   */
  public record Start(Journal.Mark mark, long nextId, List<Segments.State> segments) {}

  /** Writes one over the present one. To be closed; it counts once {@link #finish} has returned. */
  public static final class Output implements AutoCloseable {
    private final FileChannel file;
    private final ByteBuf buffer;
    private long position;

    private final ByteBuf header;

    /**
     * @param directory tells it from checkpoints of other directories
     */
    public Output(Path path, long directory, Start start, ByteBufAllocator allocator)
        throws IOException {
      file = FileChannel.open(path, StandardOpenOption.WRITE);
      buffer = allocator.buffer(1 << 16);
      header = allocator.buffer(HEADER_BYTES, HEADER_BYTES).writeZero(HEADER_BYTES);
      boolean begun = false;
      try {
        // from now on only the other one counts
        write(header, 0);
        file.force(false);
        position = HEADER_BYTES;
        writeTable(directory, start);
        begun = true;
      } finally {
        if (!begun) {
          close();
        }
      }
    }

    private void writeTable(long directory, Start start) throws IOException {
      for (Segments.State state : start.segments) {
        buffer.writeInt(state.number());
        buffer.writeByte(state.lane().ordinal());
        buffer.writeByte(state.kind().ordinal());
        buffer.writeByte(state.written() ? 1 : 0);
        buffer.writeByte(0);
        buffer.writeLong(state.generation());
        buffer.writeLong(state.used());
      }
      header.setLong(0, MAGIC);
      header.setInt(8, Marks.VERSION);
      header.setLong(16, start.mark.number());
      header.setLong(48, start.mark.position());
      header.setLong(56, directory);
      header.setLong(24, start.nextId);
      header.setInt(32, start.segments.size());
      header.setInt(36, crc(buffer, 0, buffer.writerIndex()));
      flush();
    }

    /** Adds a section. */
    public void section(Segments.State state, List<Contents.Entry> entries) throws IOException {
      buffer.writeZero(Contents.HEAD_BYTES);
      for (Contents.Entry entry : entries) {
        Contents.write(entry, buffer);
      }
      ByteBuf all = buffer.slice(Contents.HEAD_BYTES, buffer.writerIndex() - Contents.HEAD_BYTES);
      Contents.head(buffer, 0, state.generation(), state.number(), entries.size(), all);
      flush();
    }

    private void flush() throws IOException {
      position += write(buffer, position);
      buffer.clear();
    }

    private int write(ByteBuf from, long at) throws IOException {
      ByteBuffer bytes = from.nioBuffer();
      int length = bytes.remaining();
      for (long to = at; bytes.hasRemaining(); ) {
        to += file.write(bytes, to);
      }
      return length;
    }

    /** Forces it to the disk: from then on it counts. */
    public void finish() throws IOException {
      file.force(false);
      header.setLong(40, position);
      header.setInt(12, crc(header, 16, HEADER_BYTES - 16));
      write(header, 0);
      file.force(false);
    }

    @Override
    public void close() throws IOException {
      buffer.release();
      header.release();
      file.close();
    }
  }

  private static int crc(ByteBuf bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.nioBuffer(from, length));
    return (int) crc.getValue();
  }

  /** Reads one. To be closed. */
  public static final class Input implements AutoCloseable {
    /** Bytes read at a time, unless a section has more. */
    private static final int READ_BYTES = 1 << 20;

    private final FileChannel file;
    private long length;
    private ByteBuf buffer = Unpooled.buffer(READ_BYTES);
    private long position;
    private final @Nullable Start start;

    private Input(FileChannel file, long directory) throws IOException {
      this.file = file;
      this.length = HEADER_BYTES;
      this.start = readStart(directory);
    }

    /**
     * Opens the one of {@code directory} at {@code path}; null if there is none, it was cut, or its
     * beginning is damaged.
     */
    public static @Nullable Input open(Path path, long directory) throws IOException {
      if (!Files.exists(path)) {
        return null;
      }
      FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
      Input input = null;
      try {
        input = new Input(file, directory);
      } finally {
        if (input == null || input.start == null) {
          file.close();
        }
      }
      return input.start == null ? null : input;
    }

    public Start start() {
      assert start != null : "open gives none without a start";
      return start;
    }

    private @Nullable Start readStart(long directory) throws IOException {
      if (!fill(HEADER_BYTES)
          || buffer.getLong(0) != MAGIC
          || buffer.getInt(8) != Marks.VERSION
          || buffer.getInt(12) != crc(buffer, 16, HEADER_BYTES - 16)
          || buffer.getLong(56) != directory
          || buffer.getLong(40) > file.size()) {
        return null;
      }
      length = buffer.getLong(40);
      int bytes = HEADER_BYTES + buffer.getInt(32) * STATE_BYTES;
      if (!fill(bytes) || buffer.getInt(36) != crc(buffer, HEADER_BYTES, bytes - HEADER_BYTES)) {
        return null;
      }
      Journal.Mark mark = new Journal.Mark(buffer.getLong(16), buffer.getLong(48));
      long nextId = buffer.getLong(24);
      List<Segments.State> states = new ArrayList<>();
      for (int at = HEADER_BYTES; at < bytes; at += STATE_BYTES) {
        int lane = buffer.getByte(at + 4);
        int kind = buffer.getByte(at + 5);
        if (lane < 0 || lane >= Lane.values().length || kind < 0 || kind >= Kind.values().length) {
          return null;
        }
        states.add(
            new Segments.State(
                buffer.getInt(at),
                Lane.values()[lane],
                Kind.values()[kind],
                buffer.getLong(at + 8),
                (int) buffer.getLong(at + 16),
                buffer.getByte(at + 6) != 0));
      }
      buffer.skipBytes(bytes);
      return new Start(mark, nextId, states);
    }

    /** A section. */
    interface Section {
      /**
       * Borrows {@code entries}.
       *
       * @param entries null if they are damaged
       */
      void take(int segment, long generation, @Nullable ByteBuf entries);
    }

    /** Gives {@code section} the next one; false if no other can be read. */
    boolean next(Section section) throws IOException {
      if (!fill(Contents.HEAD_BYTES)) {
        return false;
      }
      int at = buffer.readerIndex();
      long generation = buffer.getLong(at + 8);
      int segment = Contents.segment(buffer, at);
      if (!Contents.isHead(buffer, at, generation, segment)
          || Contents.length(buffer, at) > length
          || !fill(Contents.HEAD_BYTES + Contents.length(buffer, at))) {
        return false;
      }
      at = buffer.readerIndex();
      ByteBuf entries = buffer.slice(at + Contents.HEAD_BYTES, Contents.length(buffer, at));
      section.take(segment, generation, Contents.isWhole(buffer, at, entries) ? entries : null);
      buffer.skipBytes(Contents.HEAD_BYTES + entries.capacity());
      return true;
    }

    /** Reads until {@code bytes} are readable; false if there are not so many. */
    private boolean fill(int bytes) throws IOException {
      if (buffer.readableBytes() >= bytes) {
        return true;
      }
      buffer.discardReadBytes();
      buffer.ensureWritable(Math.max(bytes - buffer.readableBytes(), READ_BYTES / 2));
      boolean more = true;
      while (more && buffer.isWritable() && position < length) {
        int wanted = (int) Math.min(buffer.writableBytes(), length - position);
        int read = file.read(buffer.nioBuffer(buffer.writerIndex(), wanted), position);
        more = read > 0;
        if (more) {
          position += read;
          buffer.writerIndex(buffer.writerIndex() + read);
        }
      }
      return buffer.readableBytes() >= bytes;
    }

    @Override
    public void close() throws IOException {
      buffer.release();
      file.close();
    }
  }
}
