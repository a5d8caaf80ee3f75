package io.loligo.server.wire;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An agent that behaves as those of monitoring systems do: it replaces each class by a copy, runs
 * threads, changes the class loader of the main thread, sets properties, and ends with the process.
 */
public final class IntrusiveAgent {
  private IntrusiveAgent() {}

  /** Called by the JVM before the main class. */
  public static void premain(String options, Instrumentation instrumentation) {
    AtomicInteger seen = new AtomicInteger();
    instrumentation.addTransformer(
        new ClassFileTransformer() {
          @Override
          public byte @Nullable [] transform(
              ClassLoader loader,
              String name,
              Class<?> redefined,
              ProtectionDomain domain,
              byte[] code) {
            if (name == null || !name.startsWith("io/loligo/")) {
              return null;
            }
            seen.incrementAndGet();
            return code.clone();
          }
        },
        true);
    System.setProperty("io.opentelemetry.context.contextStorageProvider", "default");
    Thread.currentThread().setContextClassLoader(null);
    Thread worker = new Thread(() -> {}, "agent-worker");
    worker.setDaemon(true);
    worker.start();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> System.out.println("agent: " + seen + " classes of io.loligo")));
  }
}
