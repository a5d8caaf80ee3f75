package io.loligo.server.boot;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import io.loligo.store.disk.DiskMemory;
import java.lang.management.ManagementFactory;

/**
 * The direct memory that the JVM grants, and how much of it is for buffers. Stateless.
 *
 * <p>The JVM does not refuse direct memory at once: it collects garbage and sleeps, half a second
 * for each buffer, in which an event loop serves nobody. Netty, which counts its buffers too,
 * refuses in microseconds: so it is given a limit of its own that is reached first.
 */
final class DirectMemory {
  /** What Netty reads its limit from, once, when its first class is initialised. */
  static final String BUFFER_LIMIT = "io.netty.maxDirectMemory";

  /**
   * Neither buffers nor indexes: logs, records, what the JVM itself reads and writes files with.
   */
  static final long OTHERS_BYTES = 4L << 20;

  /** What whoever starts the JVM has decided; not positive: nothing. */
  private static final long CHOSEN_BYTES = Long.getLong(BUFFER_LIMIT, 0);

  private DirectMemory() {}

  /** What may be used, all in all: {@code -XX:MaxDirectMemorySize}, its default, or less. */
  static long limitBytes() {
    return CHOSEN_BYTES > 0 ? Math.min(CHOSEN_BYTES, grantedBytes()) : grantedBytes();
  }

  private static long grantedBytes() {
    long option = option("MaxDirectMemorySize");
    return option > 0 && option < Long.MAX_VALUE ? option : Runtime.getRuntime().maxMemory();
  }

  /** The JVM's option {@code name} in bytes; {@link Long#MAX_VALUE} if it is not set. */
  static long option(String name) {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    try {
      VMOption option = options == null ? null : options.getVMOption(name);
      return option == null || option.getOrigin() == VMOption.Origin.DEFAULT
          ? Long.MAX_VALUE
          : Long.parseLong(option.getValue());
    } catch (IllegalArgumentException unknown) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * Gives Netty its limit, beside what {@code disk} takes, unless whoever starts the JVM did.
   * Before Netty's first class.
   */
  static void limitBuffers(DiskMemory disk) {
    if (CHOSEN_BYTES == 0) {
      System.setProperty(BUFFER_LIMIT, Long.toString(bufferBytes(limitBytes(), disk.indexBytes())));
    }
  }

  /** Of {@code limitBytes} what is for buffers, beside indexes of {@code indexBytes}. */
  static long bufferBytes(long limitBytes, long indexBytes) {
    return Math.max(1, limitBytes - indexBytes - OTHERS_BYTES);
  }
}
