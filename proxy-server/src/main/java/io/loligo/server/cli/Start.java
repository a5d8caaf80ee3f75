package io.loligo.server.cli;

/**
 * The main class of the jars. {@code java} looks at the public methods of a main class, and loads
 * the classes that they name: those of {@link Main} name picocli's.
 */
public final class Start {
  private Start() {}

  /** The same as {@link Main#main}. */
  public static void main(String[] arguments) {
    Main.main(arguments);
  }
}
