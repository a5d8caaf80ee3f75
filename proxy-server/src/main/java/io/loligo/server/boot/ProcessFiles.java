package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.takeover.Incumbent;
import io.loligo.server.takeover.TakeoverSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files by which other processes find this one: that of its number, and the socket of its
 * successor. A reload moves them, and both or neither. Changed by one thread at a time, none of the
 * event loops; {@link #close} may come from another.
 */
final class ProcessFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessFiles.class);

  private final Incumbent incumbent;
  private final String version;

  /** Null: no file. */
  private @Nullable PidFile number;

  /** Where the socket is, as configured; null: there is none. */
  private @Nullable Path place;

  /** Null: there is none, or it could not be opened at the start. */
  private @Nullable TakeoverSocket socket;

  private boolean closed;

  /**
   * No files yet.
   *
   * @param incumbent this process, for a successor
   * @param version of this build
   */
  ProcessFiles(Incumbent incumbent, String version) {
    this.incumbent = incumbent;
    this.version = version;
  }

  /**
   * The process has started: {@code written} has its number; null: no file has.
   *
   * @param at where a successor looks; null: nowhere
   */
  synchronized void begin(@Nullable PidFile written, @Nullable Path at) {
    number = written;
    place = at;
    if (at == null || incumbent.refusal() != null) {
      return;
    }
    try {
      socket = TakeoverSocket.open(at, incumbent, version);
    } catch (IOException e) {
      LOG.warn(
          "no process can take over from this one: {}; next: name another loligo_takeover_socket,"
              + " or none",
          e.getMessage());
    }
  }

  /**
   * Prepares for the files of another configuration: makes new ones.
   *
   * @param wanted as read: a successor and a command find the socket by their own reading
   * @param placed the same with places that can be written
   * @throws IOException if that is not possible; nothing has changed then
   */
  synchronized Change prepare(ProxyConfig wanted, ProxyConfig placed) throws IOException {
    String path = placed.get(ProcessDirectives.PID_FILENAME);
    Path to = TakeoverPlace.of(wanted);
    TakeoverSocket opened = Objects.equals(to, place) ? socket : opened(to);
    PidFile before = number;
    if (path == null || (before != null && before.isAt(Path.of(path)))) {
      return new Change(path == null ? null : before, to, opened);
    }
    try {
      String copy = StartProblems.runningCopy(path);
      if (copy != null) {
        throw new IOException(copy);
      }
      PidFile fresh = new PidFile(Path.of(path));
      write(fresh, path);
      return new Change(fresh, to, opened);
    } catch (IOException | RuntimeException e) {
      new Change(before, to, opened).cancel();
      throw e;
    }
  }

  private static void write(PidFile fresh, String path) throws IOException {
    try {
      fresh.write();
    } catch (IOException e) {
      throw new IOException("pid_filename " + path + ": " + e, e);
    }
  }

  private @Nullable TakeoverSocket opened(@Nullable Path at) throws IOException {
    TakeoverSocket present = socket;
    if (present != null && present.isInUse()) {
      throw new IOException(
          "loligo_takeover_socket: another process is about to take over: reload when that has"
              + " ended");
    }
    if (at == null || incumbent.refusal() != null) {
      return null;
    }
    try {
      TakeoverSocket.checkFree(at);
      return TakeoverSocket.open(at, incumbent, version);
    } catch (IOException e) {
      throw new IOException("loligo_takeover_socket " + e.getMessage(), e);
    }
  }

  /** Other files, made: {@link #commit} or {@link #cancel} once. */
  final class Change {
    private final @Nullable PidFile newNumber;
    private final @Nullable Path newPlace;
    private final @Nullable TakeoverSocket newSocket;

    private Change(
        @Nullable PidFile number, @Nullable Path newPlace, @Nullable TakeoverSocket socket) {
      this.newNumber = number;
      this.newPlace = newPlace;
      this.newSocket = socket;
    }

    /** Removes the former files. */
    void commit() {
      synchronized (ProcessFiles.this) {
        if (closed) {
          cancel();
          return;
        }
        PidFile oldNumber = number;
        TakeoverSocket oldSocket = socket;
        number = newNumber;
        place = newPlace;
        socket = newSocket;
        remove(oldNumber, newNumber, oldSocket, newSocket);
      }
    }

    /** Removes the new files. */
    void cancel() {
      synchronized (ProcessFiles.this) {
        remove(newNumber, number, newSocket, socket);
      }
    }

    private static void remove(
        @Nullable PidFile number,
        @Nullable PidFile keptNumber,
        @Nullable TakeoverSocket socket,
        @Nullable TakeoverSocket keptSocket) {
      if (number != null && !number.equals(keptNumber)) {
        number.delete();
      }
      if (socket != null && !socket.equals(keptSocket)) {
        socket.close();
      }
    }
  }

  /** Nobody can take over any more. The file with the number stays until the process ends. */
  @Override
  public void close() {
    TakeoverSocket last;
    synchronized (this) {
      closed = true;
      last = socket;
    }
    if (last != null) {
      last.close();
    }
  }
}
