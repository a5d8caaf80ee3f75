package io.loligo.server.boot;

import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the virtual machine for JMX on a TCP port, which it opens before the proxy
 * starts. Anyone who reaches a port without login can run any code as this process. Immutable.
 */
final class RemoteJmx {
  private static final String PREFIX = "com.sun.management.";
  private static final String JMX = PREFIX + "jmxremote";

  private final Properties settings;

  private RemoteJmx(Properties settings) {
    this.settings = settings;
  }

  /**
   * As the machine's own agent reads it: the file of settings, with system properties over it.
   *
   * @throws IOException if that file cannot be read
   */
  static RemoteJmx of(Properties system) throws IOException {
    Properties settings = new Properties();
    String named = system.getProperty(PREFIX + "config.file");
    Path file =
        named != null
            ? Path.of(named)
            : Path.of(
                system.getProperty("java.home", ""), "conf", "management", "management.properties");
    if (named != null || Files.isReadable(file)) {
      try (Reader in = Files.newBufferedReader(file)) {
        settings.load(in);
      }
    }
    for (String name : system.stringPropertyNames()) {
      if (name.startsWith(PREFIX)) {
        settings.setProperty(name, system.getProperty(name));
      }
    }
    return new RemoteJmx(settings);
  }

  /** Ports on which it listens, as far as they are known: those chosen by the system are not. */
  Set<Integer> ports() {
    Set<Integer> ports = new HashSet<>();
    for (String name : new String[] {JMX + ".port", JMX + ".rmi.port", JMX + ".local.port"}) {
      String text = settings.getProperty(name, "").strip();
      if (text.matches("[0-9]{1,5}") && Integer.parseInt(text) > 0) {
        ports.add(Integer.parseInt(text));
      }
    }
    return ports;
  }

  private boolean remote() {
    return settings.getProperty(JMX + ".port") != null && !onLoopback();
  }

  private boolean onLoopback() {
    String host = settings.getProperty(JMX + ".host", "").strip();
    try {
      return !host.isEmpty() && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private boolean isOn(String name, boolean without) {
    String text = settings.getProperty(JMX + name);
    return text == null ? without : Boolean.parseBoolean(text.strip());
  }

  /** Why the proxy must not start, with the remedy; null: it may. */
  @Nullable String refusal() {
    boolean tls = isOn(".ssl", true);
    boolean login = isOn(".authenticate", true);
    if (!remote() || (tls && login)) {
      return null;
    }
    return "JMX on port "
        + settings.getProperty(JMX + ".port")
        + (tls ? " has no login" : login ? " has no TLS" : " has neither TLS nor login")
        + ": anyone who reaches it can take over this process. Set -D"
        + JMX
        + ".ssl=true with a key store and -D"
        + JMX
        + ".authenticate=true with a password file, or restrict it to this machine with -D"
        + JMX
        + ".host=127.0.0.1, or omit "
        + JMX
        + ".port: JConsole and jcmd of the same user need no port";
  }

  /** A warning about settings that may be intended; null: none. */
  @Nullable String warning() {
    if (settings.getProperty(JMX + ".port") == null) {
      return null;
    }
    if (!isOn(".authenticate", true)) {
      return "JMX has no login: every user of this machine can take over this process; next: set -D"
          + JMX
          + ".authenticate=true";
    }
    if (remote() && !isOn(".registry.ssl", false)) {
      return "the registry of JMX has no TLS: an attacker on the path can redirect clients; next:"
          + " set -D"
          + JMX
          + ".registry.ssl=true";
    }
    String rmi = settings.getProperty(JMX + ".rmi.port", "0").strip();
    return rmi.equals("0")
        ? "JMX has a second port, chosen by the system; next: set -D"
            + JMX
            + ".rmi.port, so that clients of the proxy can be denied access to it"
        : null;
  }
}
