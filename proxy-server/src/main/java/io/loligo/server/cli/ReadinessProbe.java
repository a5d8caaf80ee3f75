package io.loligo.server.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The main class of {@code bin/loligo health}: a JVM that loads little more than this class asks
 * the admin port. A container counts the memory of its health check, too: a JVM with the command
 * line, the configuration and the HTTP client of the JDK takes 56 to 94 MB, and this one 20 MB
 * ({@code docs/adr/0039-automatic-sizes.md}). Where a look at the file does not tell the port, it
 * becomes that command. Stateless.
 */
public final class ReadinessProbe {
  /** Milliseconds for the connection, and for each part of the answer. */
  private static final int PATIENCE = 8_000;

  private static final int READY = 200;
  private static final int MOST_BYTES = 8 << 10;
  private static final String END_OF_HEAD = "\r\n\r\n";

  /** Of {@code HTTP/1.1 200 OK}. */
  private static final int STATUS_BEGIN = 9;

  private static final int STATUS_END = 12;

  /** Words of {@code health -f FILE}. */
  private static final int WORDS = 3;

  private ReadinessProbe() {}

  /**
   * Ends with the statuses of {@code loligo health}.
   *
   * @param words {@code health}, and what follows it
   */
  public static void main(String[] words) {
    List<InetSocketAddress> places = places(words);
    if (places.isEmpty()) {
      Main.main(words);
      return;
    }
    System.exit(ask(places));
  }

  /** None if {@link Main} has to look. */
  static List<InetSocketAddress> places(String... words) {
    if (words.length == 1) {
      return AdminPortLine.usual();
    }
    boolean plain =
        words.length == WORDS
            && (words[1].equals("-f") || words[1].equals("--file"))
            && !words[2].startsWith("-");
    return plain ? AdminPortLine.of(Path.of(words[2])) : List.of();
  }

  static int ask(List<InetSocketAddress> places) {
    String why = "";
    for (InetSocketAddress place : places) {
      try {
        String answer = answer(place);
        int status = status(answer);
        if (status > 0) {
          String text = answer.substring(answer.indexOf(END_OF_HEAD) + END_OF_HEAD.length());
          (status == READY ? System.out : System.err).println(text.strip());
          return status == READY ? 0 : CommandFailure.FAILED;
        }
        why = why(why, place, "this is no HTTP");
      } catch (IOException e) {
        why = why(why, place, e.getMessage());
      }
    }
    System.err.println(why + "; next: is the proxy running, with this loligo_admin_port?");
    return CommandFailure.NOT_RUNNING;
  }

  private static String why(String before, InetSocketAddress place, @Nullable String failure) {
    String comma = before.isEmpty() ? "" : ", ";
    return before + comma + "no answer from " + text(place) + ": " + failure;
  }

  private static String answer(InetSocketAddress place) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(PATIENCE);
      socket.connect(place, PATIENCE);
      String request =
          "GET /health/ready HTTP/1.1\r\nHost: " + text(place) + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes(MOST_BYTES), StandardCharsets.ISO_8859_1);
    }
  }

  private static String text(InetSocketAddress place) {
    String host = place.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + place.getPort();
  }

  /** Of an answer in HTTP/1; -1: it is none. */
  private static int status(String answer) {
    if (!answer.startsWith("HTTP/1.") || !answer.contains(END_OF_HEAD)) {
      return -1;
    }
    try {
      return Integer.parseInt(answer.substring(STATUS_BEGIN, STATUS_END));
    } catch (NumberFormatException none) {
      return -1;
    }
  }
}
