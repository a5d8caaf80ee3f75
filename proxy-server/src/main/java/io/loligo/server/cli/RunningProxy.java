package io.loligo.server.cli;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.json.JsonValue;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name a running proxy, and what it answers. */
final class RunningProxy {
  /** Environment variable with the secret, where no configuration gives one. */
  static final String SECRET = "LOLIGO_ADMIN_SECRET";

  private static final int OK = 200;
  private static final int ACCEPTED = 202;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  /** Characters of an answer that a message shows. */
  private static final int MOST_SHOWN = 300;

  private static final Pattern CONTROLS = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f]");

  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description =
          "the proxy's loligo_admin_port; default: that of -f, or "
              + AdminCall.USUAL
              + ". Without -f, the port has no TLS, and the secret is taken from the environment"
              + " variable "
              + SECRET)
  private @Nullable String admin;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description =
          "takes the admin port, its certificate and the secret from this configuration; with"
              + " --admin only the certificate and the secret")
  private @Nullable Path file;

  /** Null until the first call. */
  private @Nullable AdminCall found;

  /** The JSON text that answers a GET. */
  String get(String page) throws CommandFailure, InterruptedException {
    return json(getText(page));
  }

  /** The answer to a GET, of any form. */
  String getText(String page) throws CommandFailure, InterruptedException {
    try {
      return content(call().get(page), OK, OK);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /** The JSON text that answers a POST. */
  String post(String page) throws CommandFailure, InterruptedException {
    return json(content(answer(page), OK, ACCEPTED));
  }

  /** The JSON text that answers a DELETE. */
  String delete(String page) throws CommandFailure, InterruptedException {
    try {
      return json(content(call().delete(page), OK, OK));
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /**
   * The answer to a POST that may fail with {@code status}, and then has an ordinary answer too: a
   * JSON text.
   */
  HttpResponse<String> post(String page, int status) throws CommandFailure, InterruptedException {
    HttpResponse<String> answer = answer(page);
    json(content(answer, OK, status));
    return answer;
  }

  /** Whether the process still answers. */
  boolean isRunning() throws CommandFailure, InterruptedException {
    try {
      call().get("/health/live");
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private HttpResponse<String> answer(String page) throws CommandFailure, InterruptedException {
    try {
      return call().post(page);
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  private static CommandFailure unreachable(IOException e) {
    return new CommandFailure(
        CommandFailure.NOT_RUNNING,
        e.getMessage()
            + "; next: is the proxy running, with this loligo_admin_port? Before a reload it has"
            + " the former one: name that with --admin");
  }

  private static String content(HttpResponse<String> answer, int good, int alsoGood)
      throws CommandFailure {
    int status = answer.statusCode();
    if (status == good || status == alsoGood) {
      return answer.body();
    }
    String why = shown(answer.body());
    String remedy =
        status == UNAUTHORIZED || status == FORBIDDEN
            ? "; next: name the configuration with -f, or set " + SECRET
            : "";
    throw new CommandFailure(
        CommandFailure.FAILED, (why.isEmpty() ? "status " + status : why) + remedy);
  }

  /** Another program may listen there, and answer with a page of its own. */
  private static String shown(String body) {
    String line = body.strip().lines().findFirst().orElse("");
    return CONTROLS.matcher(line.substring(0, Math.min(MOST_SHOWN, line.length()))).replaceAll("?");
  }

  private String json(String answer) throws CommandFailure {
    try {
      JsonValue.parse(answer);
      return answer;
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(
          CommandFailure.FAILED,
          "the answer of "
              + call().authority()
              + " is no JSON; next: is that the loligo_admin_port of a proxy?");
    }
  }

  private AdminCall call() throws CommandFailure {
    AdminCall known = found;
    if (known == null) {
      known = find();
      found = known;
    }
    return known;
  }

  private AdminCall find() throws CommandFailure {
    if (admin != null) {
      check(admin);
    }
    AdminCall call = admin == null ? AdminCall.usual(null) : new AdminCall(admin, null, null, null);
    if (file != null) {
      ProxyConfig config = Features.reader(new FileConfigSource()).read(file.toString()).config();
      if (config == null) {
        throw new CommandFailure(
            CommandFailure.FAILED, file + " has errors (see: loligo check -f " + file + ")");
      }
      call = admin == null ? of(config) : AdminCall.at(admin, config);
    }
    return call.orSecret(System.getenv(SECRET));
  }

  private static void check(String place) throws CommandFailure {
    try {
      URI page = new URI("http://" + place);
      if (page.getHost() != null && page.getPort() > 0 && page.getRawPath().isEmpty()) {
        return;
      }
    } catch (URISyntaxException e) {
      // it is said below
    }
    throw new CommandFailure(CommandFailure.USAGE, "--admin " + place + " (expected: HOST:PORT)");
  }

  private AdminCall of(ProxyConfig config) throws CommandFailure {
    AdminCall named = AdminCall.of(config);
    if (named == null) {
      throw new CommandFailure(CommandFailure.FAILED, file + " has no loligo_admin_port");
    }
    return named;
  }

  /** A value of a query. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
