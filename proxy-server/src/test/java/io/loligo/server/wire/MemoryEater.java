package io.loligo.server.wire;

import io.loligo.server.cli.Main;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * The proxy's main class in a process whose remaining direct memory for buffers is taken and given
 * back on the command of a test, sent to {@value #PORT}. In a JVM with one arena and without caches
 * of threads nothing is left for any caller.
 */
final class MemoryEater {
  /** Property with the port of the test. */
  static final String PORT = "test.eater";

  /**
   * Command to give everything back; any other byte n: take all memory except for pieces below 2^n.
   */
  static final int GIVE = 0;

  private static final int LARGEST = 64 << 10;

  private MemoryEater() {}

  /** Runs the proxy. */
  public static void main(String[] arguments) throws IOException {
    Socket test = new Socket(InetAddress.getLoopbackAddress(), Integer.getInteger(PORT));
    Thread eater = new Thread(() -> obey(test), "memory-eater");
    eater.setDaemon(true);
    eater.start();
    Main.main(arguments);
  }

  private static void obey(Socket test) {
    List<ByteBuf> taken = new ArrayList<>();
    try (test) {
      for (int said = test.getInputStream().read();
          said >= 0;
          said = test.getInputStream().read()) {
        if (said == GIVE) {
          taken.forEach(ByteBuf::release);
          taken.clear();
        } else {
          takeAll(taken, 1 << said);
        }
        test.getOutputStream().write(said);
      }
    } catch (IOException testIsOver) {
      taken.forEach(ByteBuf::release);
    }
  }

  /** Also memory that is freed meanwhile: until no piece of {@code smallest} bytes is left. */
  private static void takeAll(List<ByteBuf> into, int smallest) {
    int size = LARGEST;
    while (size >= smallest) {
      try {
        into.add(PooledByteBufAllocator.DEFAULT.directBuffer(size, size));
      } catch (OutOfMemoryError all) {
        size /= 2;
      }
    }
  }
}
