package io.loligo.server.launch;

import com.kenai.jffi.Function;
import com.kenai.jffi.HeapInvocationBuffer;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import com.kenai.jffi.MemoryIO;
import com.kenai.jffi.Type;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The system call {@code execv}: another program takes the place of this process, with the same
 * number, the same environment and the same inherited descriptors. Main thread.
 */
final class Exec {
  private Exec() {}

  /**
   * Runs {@code program} in this process. Does not return if it succeeds.
   *
   * @param words the command line, the name of the program first
   * @throws IOException if the system refuses
   */
  static void run(String program, List<String> words) throws IOException {
    // it would use sun.misc.Unsafe, of which newer JDKs warn
    System.setProperty("jffi.unsafe.disabled", "true");
    MemoryIO memory = MemoryIO.getInstance();
    Library self = Library.openLibrary(null, Library.LAZY);
    if (self == null) {
      throw new IOException("execv: no library: " + Library.getLastError());
    }
    Function execv =
        new Function(self.getSymbolAddress("execv"), Type.SINT32, Type.POINTER, Type.POINTER);
    HeapInvocationBuffer arguments = new HeapInvocationBuffer(execv);
    arguments.putAddress(text(memory, program));
    arguments.putAddress(texts(memory, words));
    Invoker.getInstance().invokeInt(execv, arguments);
    throw new IOException("execv: error " + LastError.getInstance().get());
  }

  /** Memory for good: the process ends, or runs on with some hundred bytes less. */
  private static long text(MemoryIO memory, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    long address = memory.allocateMemory(bytes.length + 1L, true);
    memory.putByteArray(address, bytes, 0, bytes.length);
    return address;
  }

  private static long texts(MemoryIO memory, List<String> texts) {
    long address = memory.allocateMemory((texts.size() + 1L) * Long.BYTES, true);
    for (int i = 0; i < texts.size(); i++) {
      memory.putAddress(address + (long) i * Long.BYTES, text(memory, texts.get(i)));
    }
    return address;
  }
}
