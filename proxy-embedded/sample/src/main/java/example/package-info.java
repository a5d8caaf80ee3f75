/** An application that runs a proxy inside itself, as an example and a check of the artifacts. */
package example;
