package io.loligo.server.boot;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unix signals. The JDK's signal API is public but not part of Java SE, so it is called by
 * reflection; without it, signals keep their default meaning. Stateless.
 */
final class Signals {
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /**
   * Runs {@code action} on a thread of its own whenever {@code name} ({@code HUP}) arrives.
   *
   * @return false if it never will: the process was started with the signal ignored, and the JVM
   *     keeps that
   */
  static boolean on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          java.lang.reflect.Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> answer(self, method, arguments, action));
      Object before =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
      return before != handler.getField("SIG_IGN").get(null);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      Throwable cause = e instanceof InvocationTargetException t ? t.getCause() : e;
      LOG.warn(
          "signal {} cannot be handled here: {}; next: reload and rotate by the admin port or JMX",
          name,
          String.valueOf(cause));
      return true;
    }
  }

  private static @Nullable Object answer(
      Object self, Method method, Object[] arguments, Runnable action) {
    return switch (method.getName()) {
      case "handle" -> {
        action.run();
        yield null;
      }
      case "equals" -> self == arguments[0];
      case "hashCode" -> System.identityHashCode(self);
      default -> "loligo signal handler";
    };
  }
}
