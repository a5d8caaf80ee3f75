package io.loligo.server.accesslog;

import java.io.FileDescriptor;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The output of the process under the name of a file. It is used as it was inherited: it may be a
 * socket, or a pipe of another user, which cannot be opened by its name. Stateless.
 */
public final class StandardStream {
  private StandardStream() {}

  /** The stream that {@code path} names; null: it names a file. */
  public static @Nullable FileDescriptor of(Path path) {
    return switch (path.toString()) {
      case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1" -> FileDescriptor.out;
      case "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2" -> FileDescriptor.err;
      default -> null;
    };
  }
}
