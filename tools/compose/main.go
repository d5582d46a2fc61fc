// Command compose reads a compose file the way docker compose does: it interpolates the variables of an environment
// file, validates the result against the schema of the compose specification, checks that names refer to something,
// and prints the normalised project as JSON.
//
//	compose FILE ENVFILE
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run loads the project with the variables of the environment file alone, never with those of the caller, so that the
// answer is the same on every machine. Values such as the kubeconfig's path need not exist here.
func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: compose FILE ENVFILE")
	}
	options, err := cli.NewProjectOptions(args[:1], cli.WithEnvFiles(args[1]), cli.WithDotEnv)
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	text, err := project.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(text))
	return err
}
