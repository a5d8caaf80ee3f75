package io.loligo.server.accesslog;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Lines appended to a file, whole lines by one write of up to {@value #BUFFER_BYTES} bytes, unless
 * another size is given. Confined to the log writer's thread.
 */
final class FileOutput implements LogOutput {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final Path path;

  /** Not null: the path names this stream, which is neither closed nor rotated. */
  private final @Nullable FileDescriptor stream;

  private final int generations;
  private final ByteBuffer buffer;
  private @Nullable FileChannel channel;
  private long bufferedLines;
  private long lostLines;

  /**
   * Opens {@code path} for appending; creates its directory if there is none.
   *
   * @param bufferBytes the size of the buffer; 0: the usual one
   * @param generations the old files that a rotation keeps
   */
  FileOutput(Path path, int bufferBytes, int generations) throws IOException {
    this.path = path;
    stream = StandardStream.of(path);
    this.generations = generations;
    buffer = ByteBuffer.allocateDirect(bufferBytes == 0 ? BUFFER_BYTES : bufferBytes);
    channel = open();
  }

  private FileChannel open() throws IOException {
    if (stream != null) {
      return new FileOutputStream(stream).getChannel();
    }
    Path directory = path.toAbsolutePath().getParent();
    if (directory != null && !Files.exists(directory)) {
      Files.createDirectories(directory);
    }
    return FileChannel.open(
        path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  @Override
  public void line(byte[] bytes, int start, int length, int secondStart, int secondLength)
      throws IOException {
    bufferedLines++;
    if (length + secondLength > buffer.remaining()) {
      flush();
      bufferedLines = 1;
    }
    if (length + secondLength > buffer.remaining()) {
      writeThrough(ByteBuffer.wrap(bytes, start, length));
      writeThrough(ByteBuffer.wrap(bytes, secondStart, secondLength));
      bufferedLines = 0;
      return;
    }
    buffer.put(bytes, start, length).put(bytes, secondStart, secondLength);
  }

  @Override
  public void flush() throws IOException {
    if (buffer.position() > 0) {
      buffer.flip();
      try {
        writeThrough(buffer);
      } finally {
        buffer.clear();
      }
      bufferedLines = 0;
    }
  }

  private void writeThrough(ByteBuffer bytes) throws IOException {
    try {
      if (channel == null) {
        channel = open();
      }
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      lostLines += bufferedLines;
      bufferedLines = 0;
      throw e;
    }
  }

  @Override
  public void reopen(boolean rotates) throws IOException {
    try {
      flush();
    } finally {
      release();
      if (rotates && generations > 0 && stream == null && Files.isRegularFile(path)) {
        shift();
      }
      channel = open();
    }
  }

  /** {@code log.N-2} becomes {@code log.N-1} and so on, {@code log} becomes {@code log.0}. */
  private void shift() throws IOException {
    for (int i = generations - 1; i > 0; i--) {
      Path from = numbered(i - 1);
      if (Files.exists(from)) {
        Files.move(from, numbered(i), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    Files.move(path, numbered(0), StandardCopyOption.REPLACE_EXISTING);
  }

  private Path numbered(int generation) {
    return path.resolveSibling(path.getFileName() + "." + generation);
  }

  @Override
  public long lostLines() {
    return lostLines;
  }

  @Override
  public void close() throws IOException {
    try {
      flush();
      if (channel != null && stream == null && Files.isRegularFile(path)) {
        channel.force(false);
      }
    } finally {
      release();
    }
  }

  private void release() throws IOException {
    FileChannel open = channel;
    channel = null;
    if (open != null && stream == null) {
      open.close();
    }
  }
}
