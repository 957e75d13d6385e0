// Two customers of a list, by the Go client that is generated from docs/openapi/guests.json.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"waitlist"
)

type journey struct {
	api  *waitlist.CustomerAPIService
	list string
}

func main() {
	configuration := waitlist.NewConfiguration()
	configuration.Servers = waitlist.ServerConfigurations{{URL: os.Args[1]}}
	j := journey{waitlist.NewAPIClient(configuration).CustomerAPI, os.Args[2]}

	english := []string{"English", "Spanish"}
	ada, asAda := j.signUp("ada", "key-of-ada-0123456789", waitlist.AttributesValue{ArrayOfString: &english})
	j.look(asAda, ada)
	admission, _, err := j.api.Enter(asAda, j.list, ada).Execute()
	must(err)
	fmt.Println("ada pass:", parts(admission.GetPass()))
	admission, _, err = j.api.GetPass(asAda, j.list, ada).Execute()
	must(err)
	fmt.Println("ada pass again:", parts(admission.GetPass()))
	out, _, err := j.api.ExitEntry(asAda, j.list, ada).Execute()
	must(err)
	fmt.Println("ada exit:", !out.GetExitedAt().IsZero())

	one := "English"
	bob, asBob := j.signUp("bob", "key-of-bob-0123456789", waitlist.AttributesValue{String: &one})
	_, err = j.api.Leave(asBob, j.list, bob).Execute()
	must(err)
	found, _, err := j.api.GetEntry(asBob, j.list, bob).Execute()
	must(err)
	fmt.Println("bob leave:", found.GetStatus())
	_, _, err = j.api.GetEntry(asBob, j.list, ada).Execute()
	var refused *waitlist.GenericOpenAPIError
	if errors.As(err, &refused) {
		problem := refused.Model().(waitlist.Problem)
		fmt.Println("ada by bob:", problem.GetCode())
	}
}

func (j journey) signUp(name, key string, language waitlist.AttributesValue) (string, context.Context) {
	body := waitlist.NewSignupBody()
	body.SetCustomerId(name)
	body.SetAttributes(map[string]waitlist.AttributesValue{"language": language})
	entry, _, err := j.api.SignUp(context.Background(), j.list).SignupBody(*body).IdempotencyKey(key).Execute()
	must(err)
	fmt.Printf("%s signup: %s at %d, %t\n", name, entry.GetStatus(), entry.GetPosition(), entry.GetRank() > math.MaxInt32)
	token := context.WithValue(context.Background(), waitlist.ContextAccessToken, entry.GetEntryToken())
	return entry.GetEntryId(), token
}

func (j journey) look(as context.Context, entry string) {
	for {
		found, _, err := j.api.GetEntry(as, j.list, entry).Execute()
		must(err)
		if found.GetStatus() != "waiting" {
			fmt.Printf("ada look: %s, %t\n", found.GetStatus(), !found.GetOfferedUntil().IsZero())
			return
		}
		time.Sleep(time.Duration(found.GetPollAfterSeconds()) * time.Second)
	}
}

func parts(pass string) string {
	return fmt.Sprintf("%d parts", strings.Count(pass, ".")+1)
}

// Only compiled: a body that is a choice.
func bump(api *waitlist.OperatorAPIService, list, entry string) (int32, error) {
	body := waitlist.BumpBody{BumpToEnd: waitlist.NewBumpToEnd("front")}
	moved, _, err := api.Bump(context.Background(), list, entry).BumpBody(body).Execute()
	return moved.GetPriority(), err
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
