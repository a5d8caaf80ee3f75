package io.loligo.server.logfile;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** A log to read: a file or the standard input, plain or gzip. Immutable. */
public final class LogSource {
  /** The name of the standard input. */
  public static final String STANDARD_INPUT = "-";

  private static final int GZIP_BUFFER = 64 << 10;

  private final String name;
  private final @Nullable Path file;
  private final @Nullable InputStream given;

  private LogSource(String name, @Nullable Path file, @Nullable InputStream given) {
    this.name = name;
    this.file = file;
    this.given = given;
  }

  /** A file. */
  public static LogSource of(Path file) {
    return new LogSource(file.toString(), file, null);
  }

  /** A stream that can be read once. */
  public static LogSource of(String name, InputStream in) {
    return new LogSource(name, null, in);
  }

  /** How messages call it. */
  public String name() {
    return name;
  }

  /** Whether it can be opened again. */
  public boolean isFile() {
    return file != null;
  }

  /** Bytes in the file, compressed or not; -1: unknown. */
  public long size() {
    try {
      return file != null && Files.isRegularFile(file) ? Files.size(file) : -1;
    } catch (IOException e) {
      return -1;
    }
  }

  /** Opens it; the caller closes it. */
  public Opened open() throws IOException {
    InputStream raw = file != null ? stream(file) : given;
    if (raw == null) {
      throw new IOException("there is no such log");
    }
    CountedBytes counted = new CountedBytes(raw);
    PushbackInputStream start = new PushbackInputStream(counted, 2);
    try {
      int first = start.read();
      int second = first < 0 ? -1 : start.read();
      if (second >= 0) {
        start.unread(second);
      }
      if (first >= 0) {
        start.unread(first);
      }
      boolean gzip = first == 0x1F && second == 0x8B;
      return new Opened(gzip ? new GZIPInputStream(start, GZIP_BUFFER) : start, counted);
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  private static InputStream stream(Path file) throws IOException {
    try {
      return Files.newInputStream(file);
    } catch (NoSuchFileException e) {
      // the message of the JDK is the name alone
      throw new IOException("there is no such file", e);
    } catch (AccessDeniedException e) {
      throw new IOException("permission denied", e);
    }
  }

  /** An open log: its text, and how many bytes of the file were read for it. */
  public record Opened(InputStream text, CountedBytes counted) {}

  /** Counts what is read. Confined to the reading thread. */
  public static final class CountedBytes extends FilterInputStream {
    private long count;

    CountedBytes(InputStream in) {
      super(in);
    }

    /** Bytes read so far. */
    public long count() {
      return count;
    }

    @Override
    public int read() throws IOException {
      int one = super.read();
      count += one >= 0 ? 1 : 0;
      return one;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int read = super.read(bytes, from, length);
      count += Math.max(0, read);
      return read;
    }
  }
}
